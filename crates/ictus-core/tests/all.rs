//! Integration tests of the physics.
//!
//! One program, which builds in a fraction of the time of one per file. Separate are the tests that measure time or count the allocations of a whole program.

mod barrier_behaviour;
mod barrier_convergence;
mod barrier_playing;
mod behaviour;
mod boundary;
mod crowded;
mod d21;
mod degenerate;
mod drum_air;
mod felt;
mod free_run;
mod friction;
mod friction_islands;
mod impact;
mod islands;
mod kick;
mod kirchhoff;
mod kirchhoff_played;
mod laws;
mod long_barrier;
mod moving_gap;
mod pedal;
mod pitch;
mod property;
mod resolvent;
mod retune;
mod single_port;
mod sleep;
mod string_modes;
mod surfaces;
mod texture;
