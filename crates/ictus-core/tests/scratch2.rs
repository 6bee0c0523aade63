//! x
use ictus_core::{Frame, step};
use ictus_testkit::scene::island;
use ictus_testkit::Draw;
#[test]
fn dbg() {
    let list: [(fn(Frame,&mut Draw)->ictus_testkit::Scene, Frame); 7] = [(island::cradle, Frame::Midpoint), (island::cradle, Frame::Leapfrog), (island::stack, Frame::Leapfrog), (island::hyperstatic, Frame::Leapfrog), (island::mixed, Frame::Midpoint), (island::mixed, Frame::Leapfrog), (island::chain, Frame::Leapfrog)];
    for (which, (build, frame)) in list.into_iter().enumerate() {
        for seed in 0..3000 {
        let mut s = build(frame, &mut Draw::new(0x7_0000 + seed));
        for n in 0..400 {
            let prev = (s.state.counts.coupled_solves < 3 || true).then(|| s.state.clone());
            let h0 = s.state.counts.missed;
            step(&s.model, &mut s.state);
            if s.state.counts.missed > h0 {
                println!("=== {which} {frame:?} {seed} step {n} contacts {}", s.model.contact_count());
                std::fs::write("/tmp/ictus_dbg","").unwrap();
                let mut p = prev.unwrap(); step(&s.model, &mut p);
                std::fs::remove_file("/tmp/ictus_dbg").unwrap();
                break;
            }
        }}
    }
}
