//! The papers behind the figures: who wrote them, what they do, and what of them is reproduced.

/// A source of figures, explained for a reader who has not read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paper {
    /// As in [`Figure::paper`](crate::Figure::paper).
    pub id: &'static str,
    /// How the project cites it: `CW14`.
    pub name: &'static str,
    /// What it is about, in a few words.
    pub topic: &'static str,
    /// Authors, title, year.
    pub citation: &'static str,
    /// What the paper does.
    pub does: &'static str,
    /// What is computed here, and how it is judged.
    pub reproduced: &'static str,
    /// Where the result differs from the print; empty if it does not.
    pub differs: &'static str,
}

/// All papers, in the order of [`FIGURES`](crate::FIGURES).
pub static PAPERS: &[Paper] = &[
    Paper {
        id: "cw14",
        name: "CW14",
        topic: "Strings that bounce on a barrier",
        citation: "V. Chatziioannou, M. van Walstijn: Sound Synthesis for Contact-Driven Musical Instruments via Discretisation of \
                   Hamilton's Equations (2014)",
        does: "A string that hits a bridge or a fingerboard is stiff in the numerical sense: a naive time step gains energy at every \
               impact and explodes. The paper writes string and barrier as one Hamiltonian system in position and momentum and replaces \
               the derivative of the contact energy by a difference quotient, so that energy is conserved in every step, however hard the \
               barrier. Each step solves a banded nonlinear system by Newton's method.",
        reproduced: "All three numerical examples: a flexible string over a flat barrier, whose period grows by half because it turns back \
                     early; the same string on a curved, sitar-like bridge, with its contact force; and a stiff string with losses, whose \
                     energy may only fall. Judged are the period, the conservation of energy over one second and the number of Newton \
                     iterations, for our solver and for the paper's own.",
        differs: "Eq. 35 prints Δt where the scaled step ξ belongs. With the printed factor Newton's method fails hundreds of times a second.",
    },
    Paper {
        id: "d21",
        name: "D21",
        topic: "Collisions without iteration",
        citation: "M. Ducceschi, S. Bilbao, S. Willemsen, S. Serafin: Linearly-implicit methods for collisions in musical acoustics based on \
                   energy quadratisation, J. Acoust. Soc. Am. 149 (2021)",
        does: "Instead of iterating, the paper stores the square root of the contact energy as a variable of its own. The energy is then \
               quadratic and each step needs one linear solve of known cost. This non-iterative method (N-IT) is compared with two \
               iterative ones (IT-1, IT-2) on a mass, a hammer, strings on frets, a snare wire, and a whole bowed instrument: the tromba \
               marina with its rattling bridge.",
        reproduced: "Eight figures: the three methods on one mass for stiffness 1e5 to 1e13, their order of convergence, a hammer on a string, a \
                     string on a backboard and on frets by finite differences and by modes, a wire that falls on a membrane, and the bowed \
                     tromba marina. Judged are impact speeds, impulses, penetration, iterations and the energy error.",
        differs: "The explicit gradient printed for N-IT (eq. 27) keeps the energy to thirteen digits and still lets bodies stick or pass \
                  through each other after the first impact, so the figures use a corrected one. Eq. 20 lost a factor k²/M.",
    },
    Paper {
        id: "so8",
        name: "SO8",
        topic: "Everyday sounds from modes, impacts and friction",
        citation: "F. Avanzini, M. Rath, D. Rocchesso, L. Ottaviani: Low-level models: resonators, interactions, surface textures, in The \
                   Sounding Object, chapter 8 (2003)",
        does: "A construction kit for the sounds of things: an object is a bank of modes, two objects are joined by an impact with damping or \
               by friction with bristles that bend, creep and slide, and surfaces are rough like fractal noise. The chapter says how \
               contact time makes a mallet sound hard or soft, and which friction parameter changes what a listener hears (Table 8.1).",
        reproduced: "The modes of a membrane, a hammer on a massive surface and on objects at rest and in motion, hard and soft mallets, the \
                     Stribeck curve, fractal noise for two pole densities, and Table 8.1 row by row: each friction parameter is raised and \
                     lowered, and what the table says it affects is measured. Judged are speeds and contact times against closed forms, \
                     spectral slopes, and the direction of every effect the table names.",
        differs: "The impact force as printed can give energy in hard collisions; a passive form stands beside it. The caption of Fig. 8.9 \
                  exchanges soft and hard, and eq. 8.26 lost the signs of its coefficients.",
    },
    Paper {
        id: "fr",
        name: "FR",
        topic: "A bowed string that cannot gain energy",
        citation: "A. Falaize, D. Roze: A generic passive-guaranteed structure for elastoplastic friction models",
        does: "The bristle models of friction by Dahl, LuGre and Dupont are written as one port-Hamiltonian system: a stored energy, a \
               matrix that dissipates, and ports to the outside. If that matrix is never negative, bow and string together can only lose \
               what the player gives. The structure is applied to a bowed string and solved by a discrete gradient.",
        reproduced: "A string of 60 modes bowed at a tenth, a quarter and half of its length. Judged are the share of time in which it sticks, \
                     its pitch and amplitude against ideal Helmholtz motion, and the power balance at every sample. The slides give \
                     pictures only; the reference numbers were measured independently.",
        differs: "The printed dissipation matrix is not always positive: with strong bristle damping it returns up to 791 W. The damping is \
                  reduced where that would happen.",
    },
    Paper {
        id: "rb14",
        name: "RB14",
        topic: "A string that tightens as it moves, held at a point",
        citation: "D. Roze, J. Bensoam: Nonlinear physical models of vibration and sound synthesis (2014)",
        does: "A string that vibrates widely is stretched and its pitch rises (Kirchhoff). The paper solves this with a Volterra series, \
               in which Green's functions of the linear string are fed with the cubes of lower orders, and then asks which force holds a \
               point at rest, as a finger does: that force is a root of a polynomial in every sample.",
        reproduced: "The polynomials and their roots for one and for two held points, a string held at rest and along a moving point, and the \
                     limits of the method: where the published inversion diverges, how long a truncated series stays accurate, and how fast \
                     our unconditionally stable string converges. Judged are pitches, the velocity left at the held point and the sample of \
                     divergence.",
        differs: "The divergence the paper reports does not come from the choice of the root but from a force that cancels one order and \
                  drives another. Forces order by order never diverged.",
    },
    Paper {
        id: "handbook",
        name: "Beyond the papers",
        topic: "What happens as a barrier becomes rigid",
        citation: "An experiment of this project.",
        does: "The papers compare methods at one grid. Here the same string on a nearly rigid barrier is computed on ever finer grids.",
        reproduced: "The discrete gradient converges, the non-iterative method does not, though both conserve energy. This is why ictus uses \
                     the former by default.",
        differs: "",
    },
];

/// The paper with this id.
pub fn find(id: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|paper| paper.id == id)
}
