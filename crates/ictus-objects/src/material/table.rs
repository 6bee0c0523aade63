//! The table of materials.
//!
//! Sources: [CH] Cremer & Heckl, Structure-Borne Sound, tables of elastic constants and loss factors at room temperature;
//! [FR] Fletcher & Rossing, The Physics of Musical Instruments; [WH] Wood Handbook, Forest Products Laboratory, tables 5-1 to 5-3,
//! 12 % moisture; [ON] Ono & Norimoto 1983, Jpn. J. Appl. Phys. 22; [B] Brémaud 2012, J. Acoust. Soc. Am. 131; [W] Wegst 2006,
//! Wood for sound. Where a source gives a range, the middle of it in the sense of a listener (geometric mean, rounded) stands here.
//! "Typical" marks a value of the right order from general handbooks, without one table behind it.
//! The a of each law, what hands, threads and air take, is a choice: 0.3 1/s (T60 at most 23 s) for what rings freely,
//! more for what is light, soft or stretched over a frame.

use super::{DampingLaw, Material};

const PI: f64 = std::f64::consts::PI;

/// A loss factor η that is the same at all frequencies, over a base loss a.
const fn hysteretic(a: f64, eta: f64) -> DampingLaw {
    DampingLaw { a, b: PI * eta, c: 0.0 }
}

/// A loss factor that has doubled at `double_hz`: wood, whose shear takes over at high frequency, and soft polymers.
const fn rising(a: f64, eta: f64, double_hz: f64) -> DampingLaw {
    DampingLaw { a, b: PI * eta, c: PI * eta / double_hz }
}

const fn material(
    name: &'static str,
    density_kg_m3: f64,
    young_pa: f64,
    poisson: f64,
    damping: DampingLaw,
) -> Material {
    Material { name, density_kg_m3, young_pa, poisson, damping }
}

pub(super) const MATERIALS: &[Material] = &[
    // metals: constants [CH]; η: steel 0.2–3e-4, aluminium flexural 1e-4, copper 2e-3, brass 0.2–1e-3, lead 2e-2, silver 4e-4,
    // zinc 3e-4, tin 2e-3, magnesium 1e-4, gold 3e-4 [CH]
    material("steel", 7800.0, 210e9, 0.31, hysteretic(0.3, 1e-4)),
    material("iron", 7800.0, 200e9, 0.30, hysteretic(0.3, 3e-4)),
    material("aluminium", 2700.0, 72e9, 0.34, hysteretic(0.3, 1e-4)),
    material("magnesium", 1740.0, 43e9, 0.29, hysteretic(0.3, 1e-4)),
    material("copper", 8900.0, 125e9, 0.35, hysteretic(0.3, 2e-3)),
    material("brass", 8500.0, 95e9, 0.33, hysteretic(0.3, 4.5e-4)),
    // bell bronze, 20 % tin: constants typical; η that of a large bell's Q of some thousands [FR ch. 21]
    material("bronze", 8700.0, 105e9, 0.34, hysteretic(0.3, 2e-4)),
    material("silver", 10_500.0, 80e9, 0.37, hysteretic(0.3, 4e-4)),
    material("gold", 19_300.0, 80e9, 0.423, hysteretic(0.3, 3e-4)),
    material("lead", 11_300.0, 17e9, 0.43, hysteretic(0.5, 2e-2)),
    // minerals: glass 0.6–2e-3 and dense concrete 4–8e-3 [CH]; porcelain, granite, slate, ice typical
    material("glass", 2500.0, 60e9, 0.22, hysteretic(0.5, 1.1e-3)),
    material("crystal", 2950.0, 57e9, 0.22, hysteretic(0.4, 4e-4)), // lead glass, typical
    material("ceramic", 2400.0, 70e9, 0.20, hysteretic(1.0, 1.5e-3)),
    material("granite", 2650.0, 50e9, 0.25, hysteretic(1.0, 4e-3)),
    material("slate", 2750.0, 80e9, 0.22, hysteretic(1.0, 2e-3)),
    material("concrete", 2300.0, 26e9, 0.20, hysteretic(1.0, 6e-3)),
    material("ice", 917.0, 9.3e9, 0.33, hysteretic(2.0, 5e-3)),
    // woods along the grain: density and E [WH] (tropical ones [W]); η from the trend of all woods, tan δ = 10^−1.23 (E/ρ)^−0.68
    // with E in GPa and ρ in g/cm³ [ON], and for rosewood and padauk, whose extractives lower it, some 0.6 of that [B]; oak and
    // plywood are near the 0.01 and 0.013 of [CH]. The rise with frequency stands for shear in thick bars (the loss has about
    // doubled by 10 kHz); one ν for all, since a beam does not use it and an isotropic plate is a simplification
    material("spruce", 400.0, 11e9, 0.37, rising(2.0, 6.2e-3, 10e3)),
    material("cedar", 370.0, 7.7e9, 0.37, rising(2.0, 7.5e-3, 10e3)),
    material("maple", 705.0, 12.6e9, 0.37, rising(2.0, 8.3e-3, 10e3)),
    material("walnut", 610.0, 11.6e9, 0.37, rising(2.0, 8e-3, 10e3)),
    material("oak", 680.0, 12.3e9, 0.37, rising(2.0, 8.2e-3, 10e3)),
    material("rosewood", 830.0, 14e9, 0.37, rising(1.5, 5.2e-3, 10e3)),
    material("padauk", 740.0, 12.5e9, 0.37, rising(1.5, 5.2e-3, 10e3)),
    material("ebony", 1050.0, 17e9, 0.37, rising(1.5, 8.9e-3, 10e3)),
    material("plywood", 600.0, 5.4e9, 0.30, rising(3.0, 1.3e-2, 10e3)),
    material("cork", 150.0, 25e6, 0.05, hysteretic(10.0, 0.15)), // [CH] 0.13–0.17
    // polymers: acrylic 2–4e-2 [CH]; ABS, PVC, nylon, polycarbonate typical at 20 °C and 1 kHz
    material("acrylic", 1180.0, 3.2e9, 0.37, hysteretic(3.0, 3e-2)),
    material("abs", 1050.0, 2.3e9, 0.35, hysteretic(3.0, 1.5e-2)),
    material("pvc", 1400.0, 3.0e9, 0.38, hysteretic(3.0, 2e-2)),
    material("polycarbonate", 1190.0, 2.4e9, 0.37, hysteretic(3.0, 1e-2)),
    // rubber 0.1–0.3 over its transition [CH], filled and vulcanised; E dynamic
    material("rubber", 1100.0, 20e6, 0.49, rising(10.0, 0.1, 5e3)),
    material("hard-rubber", 1150.0, 2.3e9, 0.40, hysteretic(5.0, 4e-2)),
    // strings: dynamic E of drawn nylon and of gut [FR ch. 2]; the stretched string hides most of η (see the string)
    material("nylon", 1140.0, 5.0e9, 0.39, hysteretic(0.5, 2.5e-2)),
    material("gut", 1300.0, 6.0e9, 0.40, hysteretic(0.7, 3.5e-2)),
    // drumheads: constants typical; laws set to the T60 of mounted heads, some 0.5–1.5 s at 100–200 Hz [FR ch. 18]
    material("mylar", 1380.0, 3.8e9, 0.38, hysteretic(3.0, 1e-2)),
    material("skin", 1100.0, 2.5e9, 0.40, hysteretic(5.0, 2.5e-2)),
    // the rest
    material("bone", 1900.0, 18e9, 0.35, hysteretic(2.0, 1e-2)),
    material("cardboard", 700.0, 3.0e9, 0.30, hysteretic(15.0, 4e-2)),
];
