//! Wires over a surface: strings that are one body, and a row of contacts for each.

use super::along::PointContacts;
use super::body::{SurfacePlan, refuse};
use super::gap::{GapDrive, GapMotion};
use super::law::collision;
use super::{MAX_CONTACTS, Site};
use crate::signal::InputId;
use ictus_core::{
    BodyId, Clock, Contact, ContactId, End, Ends, ExplicitString, Grid, ModelBuilder, Outline, StringArray,
    StringParameters,
};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded, Side};

/// All wires of one element, and where they touch.
pub(super) struct WiresPlan {
    /// Which resonator they lie over.
    surface: usize,
    wires: Vec<Wire>,
}

struct Wire {
    parameters: StringParameters,
    grid: Grid,
    /// Fraction of the wire's length and port of the surface.
    stations: Vec<(f64, usize)>,
}

impl WiresPlan {
    /// Chooses the points of contact and adds their ports to the surface.
    pub fn new(loaded: &Loaded, clock: Clock, wires: &file::Wires, plan: &mut SurfacePlan) -> Result<Self, Error> {
        let [from, to] = wires.ends;
        // metres per unit of the surface's coordinates
        let metres = match plan.surface(wires.head).outline() {
            Outline::Disc(radius) => [radius; 2],
            Outline::Rectangle(sides) => sides,
        };
        let along = [0, 1].map(|axis| (to[axis] - from[axis]) * metres[axis]);
        let length = libm::hypot(along[0], along[1]);
        let mut list = Vec::new();
        for number in 0..wires.count {
            let aside =
                if wires.count > 1 { wires.spread_m * (number as f64 / (wires.count - 1) as f64 - 0.5) } else { 0.0 };
            let offset = [-along[1] * aside / length / metres[0], along[0] * aside / length / metres[1]];
            let ends = [from, to].map(|end| [end[0] + offset[0], end[1] + offset[1]]);
            list.push(Self::wire(loaded, clock, wires, plan, ends, length)?);
        }
        let contacts: usize = list.iter().map(|wire| wire.stations.len()).sum();
        if contacts > MAX_CONTACTS {
            let message = format!("`{}` has {contacts} points of contact, expected at most {MAX_CONTACTS}", wires.id);
            let help = Some("give the surface fewer `points`, or lay fewer wires".to_owned());
            return Err(loaded.error_at(&wires.id, "engine::too_many_contacts", message, "here", help));
        }
        Ok(Self { surface: wires.surface, wires: list })
    }

    fn wire(
        loaded: &Loaded,
        clock: Clock,
        wires: &file::Wires,
        plan: &mut SurfacePlan,
        ends: [[f64; 2]; 2],
        length: f64,
    ) -> Result<Wire, Error> {
        let mut parameters = StringParameters {
            length,
            density: wires.density_kg_m,
            tension: wires.tension_n,
            stiffness: 0.0,
            damping: wires.sigma0_1_s,
            diffusion: wires.sigma1_m2_s,
            kelvin_voigt: 0.0,
            ends: Ends::Supported,
        };
        let surface = plan.surface(wires.head);
        let mut ends = ends;
        let mut nodes = None;
        if wires.snap {
            let Some(axis) = (0..2).find(|&axis| (ends[0][1 - axis] - ends[1][1 - axis]).abs() < 1e-9) else {
                let message = format!("`{}` lies across the rows of the surface's grid", wires.id);
                let help = Some("lay the wires along x or y, or write `snap = false`, which costs more".to_owned());
                return Err(loaded.error_at(&format!("{}.to", wires.id), "engine::unsupported", message, "here", help));
            };
            ends = ends.map(|end| surface.nearest_node(end));
            let spacing = surface.spacing()[axis];
            let metres = match surface.outline() {
                Outline::Disc(radius) => radius,
                Outline::Rectangle(sides) => sides[axis],
            };
            let cells = ((ends[1][axis] - ends[0][axis]).abs() * metres / spacing).round();
            parameters.length = cells * spacing;
            nodes = Some(cells as usize);
        }
        let refused = |error| refuse(loaded, &wires.id, &error);
        let finest = parameters.finest(clock.dt).map_err(refused)?;
        // a wire on the nodes has a point at every one of them, or at every second, third … where it is fast
        let grid = match nodes {
            Some(cells) => {
                parameters.grid((1..).map(|step| cells / step).find(|&n| n <= finest.intervals).unwrap_or(3))
            }
            None => finest,
        };
        let mut stations = Vec::new();
        for i in 1..grid.intervals {
            let x = i as f64 / grid.intervals as f64;
            let mut at = [0, 1].map(|axis| ends[0][axis] + x * (ends[1][axis] - ends[0][axis]));
            if wires.snap {
                at = plan.surface(wires.head).nearest_node(at);
            }
            if plan.surface(wires.head).can_be_touched(at) {
                stations.push((x, plan.add_port(wires.head, Some(at))));
            }
        }
        if stations.is_empty() {
            let message = format!("`{}` touches no point of its surface", wires.id);
            return Err(loaded.error_at(&wires.id, "engine::empty_barrier", message, "here", None));
        }
        Ok(Wire { parameters, grid, stations })
    }

    /// Surface, port there and contact of every station, once built as `row`.
    pub fn touched(&self, row: &PointContacts) -> Vec<(usize, usize, ContactId)> {
        let ports = self.wires.iter().flat_map(|wire| wire.stations.iter().map(|&(_, port)| port));
        ports.zip(&row.contacts).map(|(port, &contact)| (self.surface, port, contact)).collect()
    }

    pub fn build(
        &self,
        site: Site,
        wires: &file::Wires,
        surface: BodyId,
        input: Option<(InputId, f64)>,
        builder: &mut ModelBuilder,
    ) -> Result<PointContacts, Error> {
        let Site { loaded, clock, .. } = site;
        let lift = input.map_or(0.0, |(_, start)| start);
        // below: u_wire − u_surface − gap, and a rising wire closes the gap; above it opens it
        let sign = match wires.side {
            Side::Below => -1.0,
            Side::Above => 1.0,
        };
        let refused = |error| refuse(loaded, &wires.id, &error);
        let string = |wire: &Wire| {
            let positions: Vec<f64> = wire.stations.iter().map(|(x, _)| *x).collect();
            ExplicitString::new(clock, wire.parameters, wire.grid, &positions)
        };
        let strings = self.wires.iter().map(string).collect::<Result<_, _>>().map_err(refused)?;
        let body = builder.body(wires.id.clone(), StringArray::new(strings).map_err(refused)?);
        let mut contacts = Vec::new();
        for (number, wire) in self.wires.iter().enumerate() {
            let stiffness = match wires.stiffness {
                file::BarrierStiffness::PerPoint(stiffness) => stiffness,
                file::BarrierStiffness::Density(density) => density * wire.grid.spacing,
            };
            for (place, &(_, other)) in wire.stations.iter().enumerate() {
                // the ports of the body are those of one wire after the other
                let (own, other) = (End::port(body, contacts.len()), End::port(surface, other));
                let ends = match wires.side {
                    Side::Below => [own, other],
                    Side::Above => [other, own],
                };
                let law = collision(clock, stiffness, wires.exponent, wires.damping_s_m, wires.method);
                let name = format!("{}[{number}][{place}]", wires.id);
                let contact = Contact::new(name, ends, law).with_gap(wires.gap_m + sign * lift);
                contacts.push(builder.contact(contact));
            }
        }
        let drive = input.map(|(input, _)| GapDrive {
            contacts: contacts.iter().map(|&contact| (contact, wires.gap_m)).collect(),
            input,
            start: lift,
            motion: GapMotion::Shift { sign },
        });
        Ok(PointContacts { contacts, drive })
    }
}
