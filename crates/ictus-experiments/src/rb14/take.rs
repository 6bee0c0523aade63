//! A scene played by one of the methods.

use super::kernel::Kernel;
use super::kirchhoff::Kirchhoff;
use super::published::Root;
use super::series::{Order, Series};
use super::wire::{HEARD, PUSHED, Scene};
use ictus_core::{BuildError, Scheme};

/// How the string and its fingers are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The series, one force over all orders as published. The first finger only.
    Published(Order, Root),
    /// The series, forces for each order.
    Separated(Order),
    /// The engine's string.
    Kirchhoff(Scheme),
}

/// What came of a scene.
#[derive(Clone, Debug)]
pub struct Take {
    /// Velocity where it is heard, m/s; ends where the method diverged.
    pub heard: Vec<f64>,
    /// Force of the first finger; 0 while it is away.
    pub force: Vec<f64>,
    /// Largest velocity at a finger while it holds, m/s.
    pub held: f64,
    /// Sample at which the motion left all bounds.
    pub diverged: Option<usize>,
    /// Largest energy while held over largest energy before.
    pub growth: f64,
}

/// A finger can only take energy: a million times the largest energy before it came, a thousand times the amplitude, is divergence. Where the paper's method
/// diverges slowly, another factor of ten in amplitude takes it some 90 samples.
pub const DIVERGED: f64 = 1e6;

impl Method {
    /// Plays a scene.
    pub fn play(self, scene: &Scene) -> Result<Take, BuildError> {
        match self {
            Self::Published(order, root) => {
                let kernel = Kernel::new(&scene.wire)?;
                Ok(record(scene, Volterra::new(scene, Series::new(kernel, order), Some(root))))
            }
            Self::Separated(order) => {
                let kernel = Kernel::new(&scene.wire)?;
                Ok(record(scene, Volterra::new(scene, Series::new(kernel, order), None)))
            }
            Self::Kirchhoff(scheme) => Ok(record(scene, Kirchhoff::new(scene, scheme)?)),
        }
    }
}

/// What happened in a sample.
pub(super) struct Moment {
    pub(super) heard: f64,
    pub(super) force: f64,
    /// Largest velocity at a finger; 0 while they are away.
    pub(super) held: f64,
    /// Energy, in the same unit throughout; not finite where the method broke.
    pub(super) energy: f64,
}

/// A string that can be stepped through a scene.
pub(super) trait Player {
    fn step(&mut self, scene: &Scene, at: usize) -> Moment;
}

fn record(scene: &Scene, mut player: impl Player) -> Take {
    let mut take = Take { heard: Vec::new(), force: Vec::new(), held: 0.0, diverged: None, growth: 0.0 };
    let mut before = 0.0f64;
    for at in 0..scene.samples {
        let moment = player.step(scene, at);
        if at < scene.hold.start {
            before = before.max(moment.energy);
        } else {
            let growth = moment.energy / before;
            let bounded = growth <= DIVERGED && moment.heard.is_finite() && moment.force.is_finite();
            if !bounded {
                take.diverged = Some(at);
                break;
            }
            take.growth = take.growth.max(growth);
            take.held = take.held.max(moment.held);
        }
        take.heard.push(moment.heard);
        take.force.push(moment.force);
    }
    take
}

/// The series in a scene.
pub(super) struct Volterra {
    series: Series,
    root: Option<Root>,
    pushed: Vec<f64>,
    heard: Vec<f64>,
    shapes: Vec<Vec<f64>>,
}

impl Volterra {
    pub(super) fn new(scene: &Scene, series: Series, root: Option<Root>) -> Self {
        let wire = &scene.wire;
        let shapes = scene.fingers.iter().map(|finger| wire.shape(finger.from)).collect();
        Self { series, root, pushed: wire.shape(PUSHED), heard: wire.shape(HEARD), shapes }
    }

    /// To X̃ of a sample, push included, with the fingers in place.
    pub(super) fn prepare(&mut self, scene: &Scene, at: usize) -> (&Series, &[Vec<f64>]) {
        self.series.free_run();
        self.series.push(&self.pushed, scene.push(at));
        for (shape, finger) in self.shapes.iter_mut().zip(&scene.fingers) {
            if scene.hold.contains(&at) && finger.from != finger.to {
                *shape = scene.wire.shape(scene.place(*finger, at));
            }
        }
        (&self.series, &self.shapes)
    }

    /// Velocity at the first finger, m/s.
    pub(super) fn held(&self) -> f64 {
        self.series.velocity(&self.shapes[0])
    }

    /// Energy of small vibrations of all orders together.
    pub(super) fn energy(&self) -> f64 {
        self.series.energy()
    }

    /// The rest of the sample; gives the force of the first finger, which is not a number where none could be found.
    pub(super) fn finish(&mut self, holds: bool) -> f64 {
        match self.root {
            _ if !holds || self.shapes.is_empty() => {
                self.series.drive_all();
                0.0
            }
            Some(root) => self.series.adhere(&self.shapes[0], root).unwrap_or(f64::NAN),
            None => self.series.adhere_separately(&self.shapes)[0],
        }
    }
}

impl Player for Volterra {
    fn step(&mut self, scene: &Scene, at: usize) -> Moment {
        self.prepare(scene, at);
        let holds = scene.hold.contains(&at);
        let force = self.finish(holds);
        let touched = if !holds { 0 } else { self.root.map_or(self.shapes.len(), |_| 1) };
        let speed = |shape: &Vec<f64>| self.series.velocity(shape).abs();
        Moment {
            heard: self.series.velocity(&self.heard),
            force,
            held: self.shapes[..touched].iter().map(speed).fold(0.0, f64::max),
            energy: self.series.energy(),
        }
    }
}
