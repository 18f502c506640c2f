// Who stands behind a credential, the port that tells, and what is kept of a key. The gateway, the console and the command line know people
// and agents only through the port, so that another source of identities can take its place.
import type { EpochMs } from '../../json/clock.ts'

export const principalKinds = ['person', 'agent', 'service'] as const

export type PrincipalKind = (typeof principalKinds)[number]

/** A principal whose credential was verified. */
export interface Identified {
  readonly tenant: string
  readonly user: string
  /** Within the tenant. */
  readonly roles: readonly string[]
  /** For what all tenants share, such as pins: no role of a tenant counts there. None where it is left out. */
  readonly installationRoles?: readonly string[] | undefined
  readonly scopes: readonly string[]
  /** Which agent acts for the user; only where the credential was made for one. */
  readonly agent: string | undefined
  readonly keyId: string
  /** Only people decide about approvals. */
  readonly kind: PrincipalKind
}

/** An identity may be code of the host, and give anything: what is no list of roles holds none. */
export function holdsInstallationRole({ installationRoles }: Identified, role: string): boolean {
  return Array.isArray(installationRoles) && installationRoles.includes(role)
}

export interface Identity {
  /** Undefined for a credential that proves nothing; the reason is not told. */
  verify(credential: string): Promise<Identified | undefined>
}

/** What a key stands for. It never changes: another role is another key. */
export interface KeyTerms {
  readonly tenant: string
  readonly user: string
  readonly kind: PrincipalKind
  readonly roles: readonly string[]
  /** For what all tenants share; none where it is left out. */
  readonly installationRoles?: readonly string[] | undefined
  readonly scopes: readonly string[]
  readonly agent: string | undefined
  readonly expiresAt: EpochMs | undefined
}

export interface StoredKey extends KeyTerms {
  readonly id: string
  readonly createdAt: EpochMs
  readonly revokedAt: EpochMs | undefined
  /** SHA-256, hex. */
  readonly hash: string
}

/** Where keys are kept: four things a store can do. No secret ever passes through it. */
export interface KeyStore {
  /** A key whose id is taken is a bug, and throws. */
  save(key: StoredKey): Promise<void>
  /** In order of creation; of one tenant, or of all. */
  list(tenant?: string): Promise<readonly StoredKey[]>
  find(id: string): Promise<StoredKey | undefined>
  /** The key as it is now, or undefined where there is none. A key that is revoked keeps its first moment. */
  revoke(id: string, at: EpochMs): Promise<StoredKey | undefined>
}
