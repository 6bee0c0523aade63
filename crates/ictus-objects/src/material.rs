//! Materials: density, stiffness, and how fast a mode decays at each frequency.
//!
//! Damping law: σ(f) = a + b f + c f², amplitude ~ e^{−σt}, T60 = 3 ln 10/σ. A loss factor η that does not depend on
//! frequency is b = πη (σ = ηω/2); a viscous (Kelvin–Voigt) loss is c; a is what supports and air take at all frequencies.
//! What a listener hears as material is σ/f, the angle of internal friction tan φ = σ/(πf). [Wildes & Richards 1988;
//! van den Doel & Pai 1998]
//! Limits: isotropic; wood is given along the grain. Real objects of one material differ by a factor of two or more in loss.

mod table;

/// Decay rate as a function of frequency, σ = a + b f + c f², 1/s.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct DampingLaw {
    /// The same at all frequencies, 1/s.
    pub a: f64,
    /// Per Hz, without unit: π times the loss factor.
    pub b: f64,
    /// Per Hz², s.
    pub c: f64,
}

impl DampingLaw {
    /// Decay rate at a frequency, 1/s.
    pub fn rate(&self, frequency_hz: f64) -> f64 {
        self.a + (self.b + self.c * frequency_hz) * frequency_hz
    }

    /// Time to fall by 60 dB at a frequency, s.
    pub fn decay_s(&self, frequency_hz: f64) -> f64 {
        decay_s(self.rate(frequency_hz))
    }

    /// Loss factor at a frequency, η = σ/(πf).
    pub fn loss_factor(&self, frequency_hz: f64) -> f64 {
        self.rate(frequency_hz) / (std::f64::consts::PI * frequency_hz)
    }
}

/// T60 of a decay rate.
pub(crate) fn decay_s(rate: f64) -> f64 {
    3.0 * std::f64::consts::LN_10 / rate
}

/// What an object is made of.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Material {
    /// Lower-case name, words joined by `-`; of a material that is not in the table, what it was made from.
    pub name: &'static str,
    /// Density ρ, kg/m³.
    pub density_kg_m3: f64,
    /// Young's modulus E, Pa.
    pub young_pa: f64,
    /// Poisson's ratio ν.
    pub poisson: f64,
    /// Decay as a function of frequency.
    pub damping: DampingLaw,
}

/// The material of a name, upper or lower case.
pub fn find(name: &str) -> Option<&'static Material> {
    materials().find(|material| material.name.eq_ignore_ascii_case(name))
}

/// All materials, in the order of the table.
pub fn materials() -> impl ExactSizeIterator<Item = &'static Material> {
    table::MATERIALS.iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        assert!(materials().len() >= 16);
        for material in materials() {
            let Material { name, density_kg_m3, young_pa, poisson, damping } = material;
            assert_eq!(find(&name.to_uppercase()), Some(material), "{name} is not unique");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
            assert!((20.0..25_000.0).contains(density_kg_m3), "{name}");
            assert!((1e5..2e12).contains(young_pa), "{name}");
            assert!((0.0..0.5).contains(poisson), "{name}");
            assert!(damping.a > 0.0 && damping.b >= 0.0 && damping.c >= 0.0, "{name}");
            let speed = (young_pa / density_kg_m3).sqrt();
            assert!((30.0..7000.0).contains(&speed), "{name}: longitudinal waves at {speed} m/s");
        }
        assert_eq!(find("unobtainium"), None);
    }

    #[test]
    fn materials_are_heard_in_the_order_of_their_losses() {
        let order = ["steel", "glass", "spruce", "acrylic", "rubber"];
        for pair in order.windows(2) {
            let [low, high] = [pair[0], pair[1]].map(|name| find(name).unwrap().damping.loss_factor(1000.0));
            assert!(low < high, "{pair:?}: {low} {high}");
        }
    }

    #[test]
    fn a_loss_factor_is_a_quality() {
        let law = DampingLaw { a: 0.0, b: 0.01 * std::f64::consts::PI, c: 0.0 };
        assert!((law.loss_factor(321.0) - 0.01).abs() < 1e-15);
        // Q = 100 at 100 Hz: σ = π
        assert!((law.decay_s(100.0) - 3.0 * std::f64::consts::LN_10 / std::f64::consts::PI).abs() < 1e-12);
    }
}
