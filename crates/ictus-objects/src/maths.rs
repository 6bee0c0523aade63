//! The mathematics behind the shapes: every sum in a fixed order, so that all machines give the same bits.

pub(crate) mod bessel;
pub(crate) mod eigen;
pub(crate) mod lattice;
pub(crate) mod legendre;
pub(crate) mod search;
