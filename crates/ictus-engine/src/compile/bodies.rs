//! Resonators of the file to resonators of the core.

use ictus_core::{
    BuildError, Clock, Discretisation, Ends, ExplicitString, Frame, Grid, ImplicitString, Mass, ModalBank, Mode,
    Resonator, StringParameters,
};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};

pub(super) fn build(
    loaded: &Loaded,
    clock: Clock,
    resonator: &file::Resonator,
    warnings: &mut Vec<Error>,
) -> Result<Box<dyn Resonator>, Error> {
    match &resonator.kind {
        file::ResonatorKind::Mass(mass) => {
            let body = Mass::new(clock, mass.mass_kg, mass.stiffness_n_m, mass.damping_n_s_m)
                .map_err(|error| refuse(loaded, &resonator.id, &error))?;
            Ok(Box::new(body.starting(mass.position_m, mass.velocity_m_s)))
        }
        file::ResonatorKind::Modes(modes) => modal(loaded, clock, &resonator.id, modes, warnings),
        file::ResonatorKind::String(string) => string_of(loaded, clock, &resonator.id, string),
    }
}

/// A parameter the physics refuses, pointing at the key it came from.
fn refuse(loaded: &Loaded, id: &str, error: &BuildError) -> Error {
    let key = match error {
        BuildError::Parameter { what, .. } => match *what {
            "stiffness" => "stiffness_n_m",
            "number of grid intervals" => "points",
            "kelvin_voigt" => "kelvin_voigt_s",
            "frequency" => "frequency_hz",
            _ => "",
        },
        _ => "",
    };
    let path = if key.is_empty() { id.to_owned() } else { format!("{id}.{key}") };
    let leapfrog = loaded.spec.scheme == file::Scheme::Leapfrog;
    let help = leapfrog.then(|| "`scheme = \"midpoint\"` has no stability limit; `oversampling` raises it".to_owned());
    loaded.error_at(&path, "engine::unstable", format!("`{id}`: {error}"), "here", help)
}

fn modal(
    loaded: &Loaded,
    clock: Clock,
    id: &str,
    modes: &file::Modes,
    warnings: &mut Vec<Error>,
) -> Result<Box<dyn Resonator>, Error> {
    let discretisation = match modes.discretisation {
        file::Discretisation::Exact => Discretisation::Exact,
        file::Discretisation::Bilinear => Discretisation::Plain,
    };
    let limit = match (discretisation, clock.frame) {
        (Discretisation::Plain, Frame::Leapfrog) => 1.0 / (std::f64::consts::PI * clock.dt),
        _ => 0.5 / clock.dt,
    };
    // a mode above half the sample rate cannot sound: the same file must still play at any rate
    let kept: Vec<usize> = (0..modes.frequency_hz.len()).filter(|&i| modes.frequency_hz[i] < limit).collect();
    let path = format!("{id}.frequency_hz");
    let lost = modes.frequency_hz.len() - kept.len();
    if kept.is_empty() {
        let message = format!("every mode of `{id}` lies above {limit:.0} Hz, the highest this sample rate can carry");
        let help = Some("raise the sample rate or `oversampling`".to_owned());
        return Err(loaded.error_at(&path, "engine::too_high", message, "all of these", help));
    }
    if lost > 0 {
        let message =
            format!("{lost} of {} modes of `{id}` lie above {limit:.0} Hz and are left out", modes.frequency_hz.len());
        let help = Some("raise the sample rate or `oversampling` to keep them".to_owned());
        warnings.push(loaded.warning_at(&path, "engine::too_high", message, "in this list", help));
    }
    let list: Vec<Mode> = kept
        .iter()
        .map(|&i| Mode { frequency: modes.frequency_hz[i], decay: modes.decay_s[i], mass: modes.mass_kg[i] })
        .collect();
    let ports: Vec<Vec<f64>> = modes.ports.iter().map(|port| kept.iter().map(|&i| port.shape[i]).collect()).collect();
    let bank = ModalBank::new(clock, &list, &ports, discretisation).map_err(|error| refuse(loaded, id, &error))?;
    Ok(Box::new(bank))
}

fn string_of(loaded: &Loaded, clock: Clock, id: &str, string: &file::StiffString) -> Result<Box<dyn Resonator>, Error> {
    let mut parameters = StringParameters {
        length: string.length_m,
        density: string.density_kg_m,
        tension: string.tension_n,
        stiffness: string.stiffness_n_m2,
        damping: 0.0,
        diffusion: 0.0,
        kelvin_voigt: string.kelvin_voigt_s,
        ends: match string.ends {
            file::StringEnds::Supported => Ends::Supported,
            file::StringEnds::Fixed => Ends::Fixed,
        },
    };
    (parameters.damping, parameters.diffusion) = losses(loaded, id, &parameters, string.damping)?;
    let grid = match string.points {
        Some(points) => parameters.grid(points),
        None => parameters.finest(clock.dt).map_err(|error| refuse(loaded, id, &error))?,
    };
    let grid = tune(clock, string, grid, &mut parameters);
    let positions: Vec<f64> = string.ports.iter().map(|port| port.position).collect();
    let refused = |error: BuildError| refuse(loaded, id, &error);
    Ok(match clock.frame {
        Frame::Leapfrog => Box::new(ExplicitString::new(clock, parameters, grid, &positions).map_err(refused)?),
        Frame::Midpoint => Box::new(ImplicitString::new(clock, parameters, grid, &positions).map_err(refused)?),
    })
}

/// Where the file gives a pitch, corrects the tension for the grid's dispersion, so that the string sounds what was typed.
fn tune(clock: Clock, string: &file::StiffString, grid: Grid, parameters: &mut StringParameters) -> Grid {
    let Some(frequency) = string.frequency_hz else { return grid };
    let Some(tension) = parameters.tuned_tension(clock, grid, frequency) else { return grid };
    parameters.tension = tension;
    grid
}

/// σ0 and σ1 from coefficients or from two decay times: σ(ω) = σ0 + σ1 β², β the wave number at ω.
fn losses(
    loaded: &Loaded,
    id: &str,
    parameters: &StringParameters,
    damping: file::StringDamping,
) -> Result<(f64, f64), Error> {
    let [low, high] = match damping {
        file::StringDamping::Coefficients { sigma0_1_s, sigma1_m2_s } => return Ok((sigma0_1_s, sigma1_m2_s)),
        file::StringDamping::Decay(pair) => pair,
    };
    let rate = |decay: f64| 3.0 * std::f64::consts::LN_10 / decay;
    let wave = |frequency: f64| {
        let omega = std::f64::consts::TAU * frequency;
        let (c2, kappa2) = (parameters.tension / parameters.density, parameters.stiffness / parameters.density);
        // ω² = c²β² + κ²β⁴, in the form that survives κ → 0
        2.0 * omega * omega / (c2 + (c2 * c2 + 4.0 * kappa2 * omega * omega).sqrt())
    };
    let (b1, b2) = (wave(low.0), wave(high.0));
    let (s1, s2) = (rate(low.1), rate(high.1));
    let diffusion = (s2 - s1) / (b2 - b1);
    let damping = s1 - diffusion * b1;
    if diffusion < 0.0 || damping < 0.0 {
        let (longest, shortest) = (low.1, rate(s1 * b2 / b1));
        let message = format!(
            "`{id}.decay` is {} s at {} Hz, expected {shortest:.3} to {longest:.3} s there, given {} s at {} Hz",
            high.1, high.0, low.1, low.0
        );
        let label = "the loss of a string grows with frequency, at most as its square";
        return Err(loaded.error_at(&format!("{id}.decay"), "engine::out_of_range", message, label, None));
    }
    Ok((damping, diffusion))
}
