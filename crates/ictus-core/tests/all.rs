//! The physics, from outside.
//!
//! One program, which is built in a fraction of the time that one for every file takes. Apart are those that take times or count what a whole program allocates.

mod barrier_behaviour;
mod barrier_convergence;
mod barrier_field;
mod barrier_playing;
mod behaviour;
mod coast;
mod d21;
mod degenerate;
mod felt;
mod friction;
mod friction_islands;
mod impact;
mod islands;
mod kirchhoff;
mod kirchhoff_played;
mod laws;
mod moving_gap;
mod one_port;
mod pedal;
mod pitch;
mod property;
mod resolvent;
mod sleep;
mod string_modes;
mod surfaces;
mod texture;
