import { createAuthority, openAuthority } from "./authority.ts";
import type { Leaf, RotationSettings, SigningAuthority } from "./rotation.ts";
import { factsFrom } from "./rotation-secret.ts";
import type { Issuer } from "./rotator.ts";

/** Makes the CAs and leaves of a rotation, on P-256, for the hosts of a service. */
export function rotationIssuer(
  hosts: readonly string[],
  { authorityLife, leafLife }: RotationSettings,
): Issuer {
  return {
    createAuthority: async (now): Promise<SigningAuthority> => {
      const made = await createAuthority({
        commonName: "antechamber",
        now: new Date(now),
        days: authorityLife / day,
      });
      return { ...factsFrom(made.certificate), key: made.key };
    },
    issueLeaf: async (authority, now): Promise<Leaf> => {
      const signer = openAuthority({ certificate: authority.pem, key: authority.key });
      const pair = await signer.issue({ hosts, now: new Date(now), days: leafLife / day });
      return { ...factsFrom(pair.certificate), key: pair.key, issuer: authority.id, coversHosts: true };
    },
  };
}

const day = 24 * 60 * 60 * 1000;
