//! FR: the bowed string as a port-Hamiltonian system. Displacements, power balance, energies; and maps of where a bow plays what.
//!
//! The string is modal, the bow a friction in the player's hand [handbook §5]. The paper gives no numbers beyond its pictures; the references are the
//! handbook's.

pub mod balance;
pub mod bow;
pub mod displacement;
pub mod energy;
pub mod map;
pub mod played;
