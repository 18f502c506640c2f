// Who stands behind a credential, and the port that tells. The gateway, the console and the command line know people and agents only
// through it, so that another source of identities can take its place.

export const principalKinds = ['person', 'agent', 'service'] as const

export type PrincipalKind = (typeof principalKinds)[number]

export interface Principal {
  readonly tenant: string
  readonly user: string
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  /** Which agent acts for the user; only where the credential was made for one. */
  readonly agent: string | undefined
  readonly keyId: string
  /** Only people decide about approvals. */
  readonly kind: PrincipalKind
}

export interface Identity {
  /** Undefined for whatever does not prove who it is, without saying why. */
  verify(credential: string): Promise<Principal | undefined>
}
