//! Instruments, from file to sound.
//!
//! One program, which is built in a fraction of the time that one for every file takes. Apart are those that run on
//! other machines too, take times, or count what a whole program allocates.

mod bow;
mod coefficients;
mod documents;
mod embedding;
mod free_decay;
mod friction;
mod grids;
mod inputs;
mod instruments;
mod kettledrum;
mod latency;
mod meter;
mod modulators;
mod mutants;
mod objects;
mod plan;
mod player;
mod presets;
mod published;
mod random_events;
mod recoil;
mod scatter;
mod scene;
mod seeds;
mod snapshot;
mod snare;
mod stretched;
mod struck;
mod surfaces;
