//! States as bytes: every field in a fixed order, little-endian, read back into a state of the same layout.
//!
//! [`clone_in_place!`](crate::clone_in_place) implements it from the list of fields that its clones need, so a field that matters for the samples cannot be left out of one of the two.
//! Numbers keep their bits. Lengths are written too and must agree: they follow from the model.

use crate::clone_in_place::Reserved;
use ictus_kernels::Aligned;

/// Bytes that are not those of a state of this layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// They end too early.
    CutOff,
    /// A length or a variant is not one that this layout has.
    Mismatch,
}

/// Bytes that have not been read yet.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    /// All of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let (taken, left) = self.0.split_first_chunk().ok_or(Damage::CutOff)?;
        self.0 = left;
        Ok(*taken)
    }

    /// The next number.
    ///
    /// # Errors
    /// If the bytes end before.
    pub fn number(&mut self) -> Result<u64, Damage> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    /// True if everything has been read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What can be written as bytes and read back in place.
pub trait Persist {
    /// Appends its bytes. Allocates.
    fn write(&self, out: &mut Vec<u8>);

    /// Takes the values of `from`; keeps its own lengths. Does not allocate.
    ///
    /// # Errors
    /// If the bytes are of another layout or end too early; it is then partly overwritten.
    fn read(&mut self, from: &mut Source) -> Result<(), Damage>;
}

/// Implements [`Persist`] for a struct from the list of all its fields.
#[macro_export]
macro_rules! persist {
    ($type:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::Persist for $type {
            fn write(&self, out: &mut Vec<u8>) {
                let Self { $($field),+ } = self;
                $($crate::Persist::write($field, out);)+
            }

            fn read(&mut self, from: &mut $crate::Source) -> Result<(), $crate::Damage> {
                let Self { $($field),+ } = self;
                $($crate::Persist::read($field, from)?;)+
                Ok(())
            }
        }
    };
}

macro_rules! persist_number {
    ($($type:ty),+) => {
        $(impl Persist for $type {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
                *self = Self::from_le_bytes(from.take()?);
                Ok(())
            }
        })+
    };
}

persist_number!(f64, u64, u32);

impl Persist for usize {
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u64).write(out);
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        *self = usize::try_from(from.number()?).map_err(|_| Damage::Mismatch)?;
        Ok(())
    }
}

impl Persist for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push((*self).into());
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        *self = match from.take()? {
            [0] => false,
            [1] => true,
            _ => return Err(Damage::Mismatch),
        };
        Ok(())
    }
}

impl<T: Persist> Persist for [T] {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        self.iter().for_each(|element| element.write(out));
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        if from.number()? != self.len() as u64 {
            return Err(Damage::Mismatch);
        }
        self.iter_mut().try_for_each(|element| element.read(from))
    }
}

impl<T: Persist, const N: usize> Persist for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|element| element.write(out));
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        self.iter_mut().try_for_each(|element| element.read(from))
    }
}

impl<T: Persist> Persist for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        (**self).write(out);
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        (**self).read(from)
    }
}

impl Persist for Aligned {
    fn write(&self, out: &mut Vec<u8>) {
        (**self).write(out);
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        (**self).read(from)
    }
}

/// As many elements as there are, at most as many as were reserved.
impl<T: Persist + Default> Persist for Reserved<T> {
    fn write(&self, out: &mut Vec<u8>) {
        (**self).as_slice().write(out);
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        self.clear();
        for _ in 0..from.number()? {
            let mut element = T::default();
            element.read(from)?;
            if !self.try_push(element) {
                return Err(Damage::Mismatch);
            }
        }
        Ok(())
    }
}

impl<T: Persist + Default> Persist for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(&mut self, from: &mut Source) -> Result<(), Damage> {
        let mut some = false;
        some.read(from)?;
        *self = some.then(T::default);
        self.as_mut().map_or(Ok(()), |value| value.read(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Both {
        list: Vec<f64>,
        pair: [usize; 2],
        maybe: Option<u64>,
    }

    persist!(Both { list, pair, maybe });

    #[test]
    fn values_keep_their_bits_and_lengths_must_agree() {
        let kept = Both { list: vec![-0.0, f64::MIN_POSITIVE / 2.0, 1.0], pair: [7, usize::MAX], maybe: Some(3) };
        let mut bytes = Vec::new();
        kept.write(&mut bytes);
        let mut back = Both { list: vec![9.0; 3], pair: [0; 2], maybe: None };
        let mut source = Source::new(&bytes);
        assert_eq!(back.read(&mut source), Ok(()));
        assert!(source.is_empty());
        assert_eq!((back.list[0].to_bits(), &back), ((-0.0f64).to_bits(), &kept));
        for cut in 0..bytes.len() {
            assert_eq!(back.read(&mut Source::new(&bytes[..cut])), Err(Damage::CutOff), "{cut} bytes");
        }
        back.list.push(0.0);
        assert_eq!(back.read(&mut Source::new(&bytes)), Err(Damage::Mismatch));
    }

    #[test]
    fn reserved_lists_take_no_more_than_they_have_space_for() {
        let mut list = Reserved::new(2);
        assert!(list.try_push(5u64) && list.try_push(6));
        let mut bytes = Vec::new();
        list.write(&mut bytes);
        let mut roomy = Reserved::<u64>::new(3);
        assert_eq!(roomy.read(&mut Source::new(&bytes)), Ok(()));
        assert_eq!(**roomy, [5, 6]);
        assert_eq!(Reserved::<u64>::new(1).read(&mut Source::new(&bytes)), Err(Damage::Mismatch));
    }
}
