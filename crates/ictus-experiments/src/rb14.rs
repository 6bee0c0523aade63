//! RB14: the Kirchhoff string by Green–Volterra series, and points that adhere to it.
//!
//! The published method ([`series`] with one force over all orders) stands beside the same series with forces for each order and beside the engine's string
//! [handbook §6]. A method that diverges says at which sample ([`take::Take::diverged`]); what it gives until then is finite.
//!
//! | module | holds |
//! |---|---|
//! | [`wire`] | the string, the push, the fingers |
//! | [`kernel`], [`series`] | modal recursion; orders 1, 3, 5 |
//! | [`polynomial`] | real roots |
//! | [`take`] | a scene played by one of the methods |
//! | [`gradient`] | the handbook's discrete gradient, a control |

pub mod divergence;
pub mod gradient;
pub mod kernel;
mod kirchhoff;
pub mod order;
mod pair;
pub mod polynomial;
mod published;
pub mod roots;
pub mod secular;
mod separated;
pub mod series;
pub mod sounds;
pub mod surfaces;
pub mod take;
pub mod wire;

pub use published::Root;
