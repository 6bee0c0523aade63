//! One of every body, in every flavour that has its own code path.

use crate::draw::Draw;
use ictus_core::{
    Air, Clock, Discretisation, Drum, Edge, Ends, ExplicitString, FastResonator, Grid, ImplicitString, Mass, ModalBank,
    Mode, Outline, Path, Scheme, Stepping, StretchedBank, StretchedString, StringArray, StringParameters, Surface,
    SurfaceGrid, SurfaceParameters,
};

/// A body and what to call it.
pub type Named = (String, Box<dyn FastResonator>);

/// Where the strings can be touched.
const PORTS: [f64; 4] = [0.21, 0.5, 0.503, 0.87];

/// A steel-like string with the flavours given.
pub fn string_parameters(stiff: bool, lossy: bool, ends: Ends) -> StringParameters {
    StringParameters {
        length: 0.65,
        density: 4e-3,
        tension: 80.0,
        stiffness: if stiff { 2e-3 } else { 0.0 },
        damping: if lossy { 1.3 } else { 0.0 },
        diffusion: if lossy { 2e-3 } else { 0.0 },
        kelvin_voigt: 0.0,
        ends,
    }
}

/// The ways to step a string in a scheme.
pub fn steppings(scheme: Scheme) -> &'static [Stepping] {
    match scheme {
        Scheme::Leapfrog => &[Stepping::Explicit],
        Scheme::Midpoint => &[Stepping::Explicit, Stepping::Implicit],
    }
}

/// A string on `grid`.
pub fn string(
    clock: Clock,
    stepping: Stepping,
    parameters: StringParameters,
    grid: Grid,
    ports: &[f64],
) -> Box<dyn FastResonator> {
    match stepping {
        Stepping::Explicit => Box::new(ExplicitString::new(clock, parameters, grid, ports).expect("a valid string")),
        Stepping::Implicit => Box::new(ImplicitString::new(clock, parameters, grid, ports).expect("a valid string")),
    }
}

/// Masses: free, on a spring, damped.
pub fn masses(clock: Clock) -> Vec<Named> {
    [("free mass", 0.0, 0.0), ("mass on a spring", 4e3, 0.0), ("damped mass", 4e3, 0.7), ("dragged mass", 0.0, 2.0)]
        .into_iter()
        .map(|(name, stiffness, resistance)| {
            let mass = Mass::new(clock, 0.01, stiffness, resistance).expect("a valid mass");
            (name.to_owned(), Box::new(mass) as Box<dyn FastResonator>)
        })
        .collect()
}

/// Banks: exact and plain, with rigid, undamped, heavily damped and very high modes, several ports.
pub fn banks(clock: Clock, draw: &mut Draw) -> Vec<Named> {
    let nyquist = 0.5 / clock.dt;
    [(Discretisation::Exact, 0.98 * nyquist), (Discretisation::Plain, 0.6 * nyquist)]
        .into_iter()
        .map(|(discretisation, highest)| {
            let mut modes = vec![
                Mode { frequency: 0.0, decay: f64::INFINITY, mass: 0.3 },
                Mode { frequency: 0.0, decay: 0.4, mass: 0.2 },
                Mode { frequency: 110.0, decay: f64::INFINITY, mass: 0.05 },
                Mode { frequency: 440.0, decay: 0.01, mass: 0.02 },
                Mode { frequency: highest, decay: 0.5, mass: 0.01 },
            ];
            for _ in 0..14 {
                modes.push(Mode {
                    frequency: draw.log(60.0, 0.5 * nyquist),
                    decay: draw.log(0.02, 5.0),
                    mass: draw.log(1e-3, 0.1),
                });
            }
            let shapes: Vec<Vec<f64>> =
                (0..4).map(|_| modes.iter().map(|_| draw.uniform(-1.5, 1.5)).collect()).collect();
            let bank = ModalBank::new(clock, &modes, &shapes, discretisation).expect("a valid bank");
            (format!("{discretisation:?} bank"), Box::new(bank) as Box<dyn FastResonator>)
        })
        .collect()
}

/// Strings: ideal, stiff, lossy, supported and fixed, long and as short as they come.
pub fn strings(clock: Clock) -> Vec<Named> {
    let mut list = Vec::new();
    for ends in [Ends::Supported, Ends::Fixed] {
        for (stiff, lossy) in [(false, false), (true, false), (false, true), (true, true)] {
            let parameters = string_parameters(stiff, lossy, ends);
            let finest = parameters.finest(clock.dt).expect("a long enough string");
            for intervals in [finest.intervals, finest.intervals / 3, 5, 3] {
                let grid = parameters.grid(intervals);
                for &stepping in steppings(clock.scheme) {
                    let name = format!("{stepping:?} string {ends:?} stiff {stiff} lossy {lossy} N={intervals}");
                    list.push((name, string(clock, stepping, parameters, grid, &PORTS)));
                }
            }
            if clock.scheme == Scheme::Midpoint {
                let parameters = StringParameters { kelvin_voigt: 2e-6, ..parameters };
                let name = format!("Kelvin–Voigt string {ends:?} stiff {stiff} lossy {lossy}");
                list.push((name, string(clock, Stepping::Implicit, parameters, parameters.grid(70), &PORTS)));
            }
        }
    }
    let string_array = [(3, 0.0), (12, 2e-4)].map(|(cells, stiffness)| {
        let parameters = StringParameters { stiffness, ..string_parameters(false, true, Ends::Supported) };
        let ports: Vec<f64> = (1..cells).step_by(2).map(|i| f64::from(i) / f64::from(cells)).collect();
        let grid = parameters.grid(cells as usize);
        ExplicitString::new(clock, parameters, grid, &ports).expect("a valid string")
    });
    list.push((
        "two string_array".to_owned(),
        Box::new(StringArray::new(string_array.to_vec()).expect("ports on points")),
    ));
    list
}

/// A drum head and a sheet of metal, small enough for a dozen cells at usual rates.
pub fn surface_parameters(outline: Outline, plate: bool, edge: Edge, lossy: bool) -> SurfaceParameters {
    SurfaceParameters {
        outline,
        density: if plate { 4.0 } else { 0.2 },
        tension: if plate { 0.0 } else { 2000.0 },
        rigidity: if plate { 20.0 } else { 0.0 },
        poisson: 0.3,
        damping: if lossy { 3.0 } else { 0.0 },
        diffusion: if lossy { 0.02 } else { 0.0 },
        edge,
    }
}

/// Membranes and plates: rectangular and round, every edge, with and without losses, as fine as they are stable and as coarse as they come.
pub fn surfaces(clock: Clock) -> Vec<Named> {
    let mut list = Vec::new();
    for (plate, edge) in [(false, Edge::Supported), (true, Edge::Supported), (true, Edge::Clamped), (true, Edge::Free)]
    {
        for (outline, ports) in [
            (Outline::Rectangle([0.3, 0.2]), [[0.5, 0.5], [0.52, 0.5], [0.25, 0.3], [0.8, 0.7]]),
            (Outline::Disc(0.15), [[0.0, 0.0], [0.05, 0.0], [-0.3, 0.2], [0.5, -0.5]]),
        ] {
            for lossy in [false, true] {
                let mut parameters = surface_parameters(outline, plate, edge, lossy);
                if parameters.finest(clock.dt).is_err() {
                    continue;
                }
                // a dozen cells at the limit
                let cells = 0.2 / parameters.spacing_limit(clock.dt) / 12.0;
                parameters.outline = match outline {
                    Outline::Rectangle([x, y]) => Outline::Rectangle([x / cells, y / cells]),
                    Outline::Disc(radius) => Outline::Disc(radius / cells),
                };
                let finest = parameters.finest(clock.dt).expect("a large enough surface");
                let coarse = SurfaceGrid { columns: 5, rows: 5 };
                for grid in [finest, coarse] {
                    let body = Surface::new(clock, parameters, grid, &ports).expect("a valid surface");
                    let name = format!("{outline:?} plate {plate} {edge:?} lossy {lossy} {grid:?}");
                    list.push((name, Box::new(body) as Box<dyn FastResonator>));
                }
            }
        }
    }
    for (two, cells) in [(false, 1), (true, 1), (false, 3), (true, 5)] {
        let parameters = surface_parameters(Outline::Disc(0.15), false, Edge::Supported, true);
        let grids = [SurfaceGrid { columns: 15, rows: 15 }, SurfaceGrid { columns: 12, rows: 12 }];
        let head = |grid| Surface::new(clock, parameters, grid, &[[0.1, 0.3], [-0.4, 0.2]]).expect("a head");
        let heads: Vec<Surface> = grids.into_iter().take(1 + usize::from(two)).map(head).collect();
        let ports = (0..2 * heads.len()).map(|port| (port % heads.len(), port / heads.len())).collect();
        let air = Air { volume: 0.01, depth: 0.14, cells, damping: 20.0 };
        let drum = Drum::new(clock, heads, air, ports).expect("a valid drum");
        list.push((format!("drum with two heads {two}, {cells} cells of air"), Box::new(drum)));
    }
    list
}

/// An ideal string as modes: what it takes to build a bank of it.
pub struct StringModes {
    /// The partials.
    pub modes: Vec<Mode>,
    /// One shape per port.
    pub shapes: Vec<Vec<f64>>,
    /// ∫φ'² of every partial, 1/m.
    pub slopes: Vec<f64>,
}

/// The first `count` partials of a string of `length` (m) and `density` (kg/m) with its lowest partial at `frequency` (Hz); all decay alike.
pub fn string_modes(
    count: usize,
    length: f64,
    density: f64,
    frequency: f64,
    decay: f64,
    positions: &[f64],
) -> StringModes {
    let wave = |n: usize| std::f64::consts::PI * n as f64;
    StringModes {
        modes: (1..=count)
            .map(|n| Mode { frequency: n as f64 * frequency, decay, mass: 0.5 * density * length })
            .collect(),
        shapes: positions.iter().map(|x| (1..=count).map(|n| libm::sin(wave(n) * x)).collect()).collect(),
        slopes: (1..=count).map(|n| 0.5 * wave(n) * wave(n) / length).collect(),
    }
}

/// Bodies whose mobility changes: stretched banks and strings, and ports that move.
pub fn varying(clock: Clock) -> Vec<Named> {
    let mut list: Vec<Named> = Vec::new();
    for modulus in [0.0, 1e5, 1e9] {
        let StringModes { modes, shapes, slopes } = string_modes(21, 0.65, 4e-3, 110.0, 0.7, &PORTS);
        let bank = StretchedBank::new(clock, &modes, &shapes, &slopes, modulus).expect("a valid bank");
        let bank = bank
            .with_path(1, Path::String(vec![(0..21, 1.0)]))
            .and_then(|bank| bank.with_path(2, Path::String(vec![(0..21, 1.0)])));
        list.push((format!("stretched bank, modulus {modulus}"), Box::new(bank.expect("a valid path"))));
        let parameters = string_parameters(true, true, Ends::Supported);
        let grid = parameters.finest(clock.dt).expect("a long enough string");
        let string = StretchedString::new(clock, parameters, grid, &PORTS, 1.3 * modulus).expect("a valid string");
        list.push((format!("stretched string, modulus {modulus}"), Box::new(string.with_movable(3))));
    }
    let StringModes { modes, shapes, .. } = string_modes(21, 0.65, 4e-3, 110.0, 0.7, &PORTS);
    let bank = ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).expect("a valid bank");
    let bank = bank.with_path(0, Path::Table(shapes.into())).expect("a valid path");
    list.push(("bank with a moving port".to_owned(), Box::new(bank)));
    let parameters = string_parameters(false, true, Ends::Fixed);
    let grid = parameters.finest(clock.dt).expect("a long enough string");
    let string = ExplicitString::new(clock, parameters, grid, &PORTS).expect("a valid string");
    list.push(("string with moving ports".to_owned(), Box::new(string.with_movable(0).with_movable(2))));
    list
}

/// Every body.
pub fn all(clock: Clock, draw: &mut Draw) -> Vec<Named> {
    let mut list = masses(clock);
    list.extend(banks(clock, draw));
    list.extend(strings(clock));
    list.extend(surfaces(clock));
    list.extend(varying(clock));
    list
}
