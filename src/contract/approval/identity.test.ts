import { expect, it } from 'vitest'
import { checkPinApprover } from '../../drift/pins/drift-desk.ts'
import { checkVersionDecider } from '../../drift/versions/version-watch.ts'
import type { Identified } from './identity.ts'

const person = (installationRoles: unknown): Identified => ({
  tenant: 'acme',
  user: 'ann',
  roles: ['operator'],
  scopes: [],
  agent: undefined,
  keyId: 'k',
  kind: 'person',
  installationRoles: installationRoles as readonly string[],
})

it.each([
  ['pins', checkPinApprover],
  ['versions', checkVersionDecider],
])('roles of the installation that are no list open no %s [pins-need-the-installation]', (_name, check) => {
  const noLists = [undefined, null, 0, 'operator', 'cooperators', { includes: () => true }, new Set(['operator'])]
  for (const roles of [...noLists, [], ['auditor'], [['operator']]])
    expect(() => check(person(roles))).toThrow(expect.objectContaining({ code: 'not_permitted' }))
  expect(() => check(person(['auditor', 'operator']))).not.toThrow()
})
