use ictus_core::*;
#[test]
fn d21_fig1() {
    for frame in [Frame::Midpoint, Frame::Leapfrog] {
        for k in [1e5, 1e7, 1e9, 1e11, 1e13] {
            for scheme in 0..3 {
                let clock = Clock::new(frame, 1.0 / 44100.0);
                let mut b = ModelBuilder::new(clock);
                let m = b.body("m", Mass::new(clock, 0.01, 3.95e3, 0.0).unwrap().starting(-0.01, 1.5));
                let pl = PowerLaw::new(k, 1.3);
                let law: Law = match scheme {
                    0 => Collision::new(clock, pl, 0.0).into(),
                    1 => Quadratised::new(clock, pl, Gradient::Current).into(),
                    _ => Quadratised::new(clock, pl, Gradient::Corrected).into(),
                };
                let c = b.contact(Contact::new("c", [End::port(m, 0), End::Wall], law));
                let model = b.build().unwrap();
                let mut s = State::new(&model);
                let mut pen: f64 = 0.0;
                let mut rebound = 0.0f64;
                let mut fmin: f64 = 0.0;
                for n in 0..4410 {
                    step(&model, &mut s);
                    if n < 400 {
                        pen = pen.max(s.displacement(&model, m, 0));
                        if s.displacement(&model, m, 0) < 0.0 && s.velocity(&model, m, 0) < 0.0 {
                            rebound = rebound.min(s.velocity(&model, m, 0));
                        }
                    }
                    fmin = fmin.min(s.contact_force(c));
                }
                println!(
                    "{frame:?} {scheme} K={k:e} E={:.6} pen {:.4e} reb {:.4} maxit {} mean {:.2} fmin {:.1e} resid {:.1e} {:.1e}",
                    s.ledger.total.initial,
                    pen,
                    rebound,
                    s.counts.max_iterations,
                    s.counts.mean_iterations(),
                    fmin,
                    s.ledger.max_residual_rel(),
                    s.ledger.total.max_residual / s.ledger.peak
                );
            }
        }
    }
}
