//! A resonator and a contact law of one's own, outside of `ictus-core`: the code of the book's pages "Add your own resonator" and "Add your own contact law".

mod bottle;
mod stop;

pub use bottle::Bottle;
pub use stop::Stop;

#[cfg(test)]
mod tests;
