import { defineKind, lens, move, only, table, version } from "antechamber";

/** Organizations became a part of the subject. */
const v1alpha2 = lens(move("spec.organization", "spec.subject.organizations"));

/** The private key's fields got a place of their own, and names in capitals. */
const v1alpha3 = lens(
  move("spec.keySize", "spec.privateKey.size"),
  move("spec.keyAlgorithm", "spec.privateKey.algorithm", table(["rsa", "RSA"], ["ecdsa", "ECDSA"])),
  move("spec.keyEncoding", "spec.privateKey.encoding", table(["pkcs1", "PKCS1"], ["pkcs8", "PKCS8"])),
);

/** Two lists were renamed, and v1 has one more algorithm, which v1beta1 cannot name. */
const v1beta1 = lens(
  move("spec.emailSANs", "spec.emailAddresses"),
  move("spec.uriSANs", "spec.uris"),
  move("spec.privateKey.algorithm", "spec.privateKey.algorithm", only("RSA", "ECDSA")),
);

/** The Certificate of cert-manager, of the last release that served four versions. */
export default defineKind({
  group: "cert-manager.io",
  kind: "Certificate",
  plural: "certificates",
  scope: "Namespaced",
  versions: [
    version("v1alpha2", v1alpha2),
    version("v1alpha3", v1alpha3),
    version("v1beta1", v1beta1),
    version("v1"),
  ],
});
