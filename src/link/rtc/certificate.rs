//! The node's DTLS certificate and its fingerprint.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use ::rtc::crypto::{self, HashAlgorithm, SignatureScheme};
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, PKCS_ECDSA_P256_SHA256};
use rustls::pki_types::CertificateDer;
use webrtc::peer_connection::RTCCertificate;

use super::RtcError;

/// A certificate is valid from this long before it was made, since the peer's clock may be behind.
const BACKDATED: Duration = Duration::from_hours(24);

/// The SHA-256 fingerprint of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// Reads 64 hexadecimal digits of either case, in pairs that are separated by colons or not at all.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        let text = text.as_bytes();
        let stride = match text.len() {
            64 => 2,
            95 => 3,
            _ => return None,
        };
        for (byte, digits) in bytes.iter_mut().zip(text.chunks(stride)) {
            if digits.get(2).is_some_and(|colon| *colon != b':') {
                return None;
            }
            let digit = |at: usize| char::from(digits[at]).to_digit(16);
            *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
        }
        Some(Self(bytes))
    }

    /// 64 lower-case hexadecimal digits, as a pairing URL has them.
    pub fn to_hex(self) -> String {
        self.to_string().replace(':', "").to_ascii_lowercase()
    }
}

/// `AB:12:…`, as session descriptions have it.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            write!(f, "{}{byte:02X}", if at == 0 { "" } else { ":" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An ECDSA P-256 certificate with its key.
#[derive(Clone)]
pub struct Certificate {
    stack: RTCCertificate,
    der: Vec<u8>,
    key: Vec<u8>,
    fingerprint: Fingerprint,
}

impl Certificate {
    /// Makes a key and a self-signed certificate that is valid for this long from now.
    ///
    /// # Errors
    /// [`RtcError::Certificate`] when the key can't be made or the time is out of range.
    pub fn generate(validity: Duration) -> Result<Self, RtcError> {
        let now = SystemTime::now();
        let failed = |error: rcgen::Error| RtcError::Certificate(error.to_string());
        let out_of_range = || RtcError::Certificate("its validity is out of range".to_owned());
        let mut params = CertificateParams::default();
        // Browsers name theirs so too: a certificate says nothing about its machine.
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, "WebRTC");
        params.not_before = now.checked_sub(BACKDATED).ok_or_else(out_of_range)?.into();
        params.not_after = now
            .checked_add(validity)
            .filter(|end| end.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|since| since.as_secs() < YEAR_9999))
            .ok_or_else(out_of_range)?
            .into();
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(failed)?;
        let certificate = params.self_signed(&key).map_err(failed)?;
        Self::from_der(certificate.der().to_vec(), key.serialize_der())
    }

    /// Takes a certificate and its PKCS #8 key that were stored, both as DER.
    ///
    /// # Errors
    /// [`RtcError::Certificate`] when the key isn't an ECDSA P-256 key.
    pub fn from_der(der: Vec<u8>, key: Vec<u8>) -> Result<Self, RtcError> {
        let provider = crypto::default_provider().map_err(|error| RtcError::Certificate(error.to_string()))?;
        // The stack only compares this date with its clock when a connection is set up. Whoever stores certificates
        // decides when one is too old.
        let expires = SystemTime::now() + Duration::from_hours(365 * 24);
        let chain = vec![CertificateDer::from(der.clone())];
        let stack =
            RTCCertificate::from_pkcs8(provider.crypto(), SignatureScheme::EcdsaP256Sha256, chain, &key, expires)
                .map_err(|error| RtcError::Certificate(error.to_string()))?;
        let hash = provider
            .crypto()
            .hash(HashAlgorithm::Sha256, &der)
            .map_err(|error| RtcError::Certificate(error.to_string()))?;
        let bytes = <[u8; 32]>::try_from(&hash[..])
            .map_err(|_| RtcError::Certificate("its hash has no 32 bytes".to_owned()))?;
        Ok(Self { stack, der, key, fingerprint: Fingerprint(bytes) })
    }

    /// The certificate, as DER.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The private key, as PKCS #8 DER. A secret.
    pub fn key_der(&self) -> &[u8] {
        &self.key
    }

    /// The SHA-256 fingerprint.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    pub(super) fn stack(&self) -> RTCCertificate {
        self.stack.clone()
    }
}

/// The last second that a certificate's date can hold, about.
const YEAR_9999: u64 = 253_370_764_800;

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TWENTY_YEARS: Duration = Duration::from_hours(20 * 365 * 24);

    #[test]
    fn a_stored_certificate_is_the_same_identity() {
        let made = Certificate::generate(TWENTY_YEARS).expect("a certificate");
        let loaded = Certificate::from_der(made.der().to_vec(), made.key_der().to_vec()).expect("its own bytes");
        assert_eq!(loaded.fingerprint(), made.fingerprint());
        assert_ne!(Certificate::generate(TWENTY_YEARS).expect("another").fingerprint(), made.fingerprint());
    }

    #[test]
    fn a_debug_text_holds_no_key() {
        let made = Certificate::generate(TWENTY_YEARS).expect("a certificate");
        let text = format!("{made:?}");
        assert!(text.len() < 200, "{text}");
    }

    #[test]
    fn a_broken_key_or_a_wild_validity_is_refused() {
        let made = Certificate::generate(TWENTY_YEARS).expect("a certificate");
        assert!(Certificate::from_der(made.der().to_vec(), vec![1, 2, 3]).is_err());
        assert!(Certificate::generate(Duration::MAX).is_err());
    }

    proptest! {
        #[test]
        fn a_fingerprint_is_read_back(bytes: [u8; 32]) {
            let fingerprint = Fingerprint(bytes);
            prop_assert_eq!(Fingerprint::parse(&fingerprint.to_string()), Some(fingerprint));
            prop_assert_eq!(Fingerprint::parse(&fingerprint.to_string().to_lowercase()), Some(fingerprint));
            prop_assert_eq!(Fingerprint::parse(&fingerprint.to_hex()), Some(fingerprint));
        }

        #[test]
        fn any_text_is_a_fingerprint_or_not(text in "[0-9a-fA-F:é]{60,100}") {
            let _ = Fingerprint::parse(&text);
        }
    }
}
