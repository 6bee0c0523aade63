//! Scenes with repeated impacts.
