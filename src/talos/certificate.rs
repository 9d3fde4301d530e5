//! The CA that nodes are to trust: PEM in, checked, PEM and base64 out.

use crate::secret::Secret;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use base64::{Engine, alphabet};
use std::fmt;
use x509_parser::pem::Pem;
use x509_parser::prelude::{FromDer, X509Certificate};
use zeroize::Zeroizing;

/// One or more CA certificates, each parsed and found to be one.
#[derive(Clone, Debug)]
pub struct CaBundle {
    pem: Secret<String>,
    /// Which of its certificates are out of their validity, counted from 1.
    not_valid_now: Vec<usize>,
}

/// What is wrong with a bundle. It names positions, never content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaProblem {
    /// Not text, or no `BEGIN CERTIFICATE` in it.
    NoCertificate,
    /// A private key lies beside the certificates.
    PrivateKey,
    /// The PEM armour around block N is damaged.
    BrokenPem(usize),
    /// Block N has a label other than CERTIFICATE.
    OtherBlock(usize),
    /// Certificate N is not an X.509 certificate in DER.
    NotX509(usize),
    /// Certificate N is not a CA (`basicConstraints` does not say CA:TRUE).
    NotCa(usize),
    /// No certificate of the bundle is valid now.
    NoneValid,
}

impl fmt::Display for CaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCertificate => write!(f, "it holds no PEM certificate"),
            Self::PrivateKey => write!(f, "it holds a private key"),
            Self::BrokenPem(n) => write!(f, "PEM block {n} is damaged"),
            Self::OtherBlock(n) => write!(f, "PEM block {n} is not a CERTIFICATE"),
            Self::NotX509(n) => write!(f, "certificate {n} is not a readable X.509 certificate"),
            Self::NotCa(n) => write!(f, "certificate {n} is not a CA (basicConstraints CA:TRUE)"),
            Self::NoneValid => write!(f, "none of its certificates is valid now"),
        }
    }
}

impl CaBundle {
    /// Reads a bundle and checks every certificate; `now` is in seconds since the Unix epoch.
    ///
    /// Text between the blocks and any line ending are fine. What is kept is each certificate in
    /// standard PEM (64 columns, LF), so that the same certificates always give the same bytes: other
    /// bytes would roll the control plane.
    pub fn parse(bytes: &[u8], now: i64) -> Result<Self, Vec<CaProblem>> {
        let mut problems = Vec::new();
        if contains(bytes, b"PRIVATE KEY-----") {
            problems.push(CaProblem::PrivateKey);
        }
        let certificates = read_blocks(bytes, &mut problems);
        let (mut pem, mut not_valid_now) = (Zeroizing::new(String::new()), Vec::new());
        for (n, der) in &certificates {
            match X509Certificate::from_der(der) {
                Ok(([], certificate)) => {
                    if !certificate.is_ca() {
                        problems.push(CaProblem::NotCa(*n));
                    }
                    let validity = certificate.validity();
                    if now < validity.not_before.timestamp() || now > validity.not_after.timestamp()
                    {
                        not_valid_now.push(*n);
                    }
                    push_pem(&mut pem, der);
                }
                _ => problems.push(CaProblem::NotX509(*n)),
            }
        }
        if certificates.is_empty() && problems.is_empty() {
            problems.push(CaProblem::NoCertificate);
        }
        if problems.is_empty() && not_valid_now.len() == certificates.len() {
            problems.push(CaProblem::NoneValid);
        }
        if problems.is_empty() {
            Ok(Self {
                pem: pem.into(),
                not_valid_now,
            })
        } else {
            Err(problems)
        }
    }

    /// As PEM, for `RegistryTLSConfig.ca`.
    pub fn pem(&self) -> &Secret<String> {
        &self.pem
    }

    /// As single-line base64 of the PEM, for `machine.registries.config.<host>.tls.ca`.
    pub fn base64(&self) -> Secret<String> {
        Secret::new(STANDARD.encode(self.pem.expose().as_bytes()))
    }

    /// Which of its certificates are out of their validity, counted from 1; never all of them.
    pub fn not_valid_now(&self) -> &[usize] {
        &self.not_valid_now
    }
}

/// Do two values, each PEM or base64 of PEM, hold the same certificates in the same order?
///
/// A CA that is already there in other line lengths, or with a comment, is the same trust, and
/// writing it anew would replace machines for nothing.
pub fn same_certificates(left: &str, right: &str) -> bool {
    let ders = |text: &str| -> Option<Vec<Vec<u8>>> {
        let pem = decoded(text)?;
        let mut problems = Vec::new();
        let blocks = read_blocks(&pem, &mut problems);
        (problems.is_empty() && !blocks.is_empty())
            .then(|| blocks.into_iter().map(|(_, der)| der.to_vec()).collect())
    };
    ders(left).is_some_and(|left| ders(right).is_some_and(|right| left == right))
}

/// Is the text base64 as Go's standard decoder takes it: padded, line ends skipped?
pub fn is_base64(text: &str) -> bool {
    from_base64(text).is_some()
}

/// Is the text base64 of PEM, whatever is in it?
pub fn is_base64_of_pem(text: &str) -> bool {
    from_base64(text).is_some_and(|pem| contains(&pem, b"-----BEGIN "))
}

/// Is the text base64 of PEM with at least one certificate that can be read?
pub fn is_base64_of_certificates(text: &str) -> bool {
    from_base64(text).is_some_and(|pem| !read_blocks(&pem, &mut Vec::new()).is_empty())
}

/// Is this PEM of certificates and nothing else, each of which parses? Talos refuses a document whose
/// `ca` is not.
pub fn holds_certificates(pem: &str) -> bool {
    let mut problems = Vec::new();
    let blocks = read_blocks(pem.as_bytes(), &mut problems);
    let parses = |der: &[u8]| matches!(X509Certificate::from_der(der), Ok(([], _)));
    problems.is_empty() && !blocks.is_empty() && blocks.iter().all(|(_, der)| parses(der))
}

/// PEM as it is, or out of base64.
fn decoded(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    if text.contains("-----BEGIN ") {
        return Some(Zeroizing::new(text.as_bytes().to_vec()));
    }
    from_base64(text)
}

/// Go's decoder does not mind bits left over behind the last byte.
const GO: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

fn from_base64(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let joined: Zeroizing<String> =
        Zeroizing::new(text.chars().filter(|c| !matches!(c, '\n' | '\r')).collect());
    GO.decode(joined.as_bytes()).ok().map(Zeroizing::new)
}

/// The DER of each CERTIFICATE block, with its position among the blocks, from 1.
fn read_blocks(bytes: &[u8], problems: &mut Vec<CaProblem>) -> Vec<(usize, Zeroizing<Vec<u8>>)> {
    let mut certificates = Vec::new();
    for (index, block) in Pem::iter_from_buffer(bytes).enumerate() {
        let n = index + 1;
        match block {
            Ok(block) if block.label == "CERTIFICATE" => {
                certificates.push((n, Zeroizing::new(block.contents)));
            }
            Ok(block) if block.label.ends_with("PRIVATE KEY") => {}
            Ok(_) => problems.push(CaProblem::OtherBlock(n)),
            Err(_) => {
                problems.push(CaProblem::BrokenPem(n));
                break;
            }
        }
    }
    certificates
}

fn push_pem(out: &mut String, der: &[u8]) {
    const COLUMNS: usize = 64;
    let body = Zeroizing::new(STANDARD.encode(der));
    out.push_str("-----BEGIN CERTIFICATE-----\n");
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (line, tail) = rest.split_at(rest.len().min(COLUMNS));
        out.push_str(line);
        out.push('\n');
        rest = tail;
    }
    out.push_str("-----END CERTIFICATE-----\n");
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(haystack, needle).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};

    const NOW: i64 = 1_750_000_000;

    fn certificate(is_ca: bool, from: i32, to: i32) -> String {
        let mut params = CertificateParams::new(vec!["ca.example".to_string()]).unwrap();
        if is_ca {
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        }
        params.not_before = date_time_ymd(from, 1, 1);
        params.not_after = date_time_ymd(to, 1, 1);
        params
            .self_signed(&KeyPair::generate().unwrap())
            .unwrap()
            .pem()
            .replace("\r\n", "\n")
    }

    fn problems(text: &str) -> Vec<CaProblem> {
        CaBundle::parse(text.as_bytes(), NOW).unwrap_err()
    }

    #[test]
    fn standard_pem_keeps_its_bytes() {
        let pem = certificate(true, 2020, 2040);
        let bundle = CaBundle::parse(pem.as_bytes(), NOW).unwrap();

        assert_eq!(bundle.pem().expose(), &pem);
        assert_eq!(
            STANDARD.decode(bundle.base64().expose()).unwrap(),
            pem.as_bytes()
        );
        assert!(!bundle.base64().expose().contains('\n'));
    }

    #[test]
    fn comments_crlf_and_several_certificates_are_fine() {
        let (one, two) = (certificate(true, 2020, 2040), certificate(true, 2020, 2041));
        let text = format!(
            "# the old root\n{one}\n# the new root\n{}",
            two.replace('\n', "\r\n")
        );

        assert_eq!(
            CaBundle::parse(text.as_bytes(), NOW)
                .unwrap()
                .pem()
                .expose(),
            &(one + &two)
        );
    }

    #[test]
    fn an_expired_member_is_told_and_only_expired_ones_are_refused() {
        let (valid, expired) = (certificate(true, 2020, 2040), certificate(true, 2000, 2010));

        let both = CaBundle::parse(format!("{valid}{expired}").as_bytes(), NOW).unwrap();
        assert_eq!(both.not_valid_now(), [2]);
        assert_eq!(problems(&expired), [CaProblem::NoneValid]);
    }

    #[test]
    fn a_leaf_a_key_garbage_and_nothing_are_refused() {
        let key = KeyPair::generate().unwrap().serialize_pem();
        let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

        assert_eq!(
            problems(&certificate(false, 2020, 2040)),
            [CaProblem::NotCa(1)]
        );
        assert_eq!(
            problems(&(certificate(true, 2020, 2040) + &key)),
            [CaProblem::PrivateKey]
        );
        assert_eq!(problems(garbage), [CaProblem::NotX509(1)]);
        assert_eq!(problems("no pem"), [CaProblem::NoCertificate]);
        assert_eq!(
            problems("-----BEGIN CERTIFICATE-----\nAAAA\n"),
            [CaProblem::BrokenPem(1)]
        );
    }

    #[test]
    fn every_problem_is_told_at_once() {
        let text = certificate(false, 2020, 2040)
            + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

        assert_eq!(
            problems(&text),
            [CaProblem::NotCa(1), CaProblem::NotX509(2)]
        );
    }

    #[test]
    fn the_same_certificates_in_another_spelling_are_the_same_trust() {
        let (one, two) = (certificate(true, 2020, 2040), certificate(true, 2020, 2041));
        let spelt = STANDARD.encode(format!("# comment\n{}", one.replace('\n', "\r\n")));

        assert!(same_certificates(&one, &spelt));
        assert!(!same_certificates(&one, &two));
        assert!(!same_certificates("x", "x"));
    }
}
