// What an operation demands of its callers: the scopes to compare, and where the credentials go in a request.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { OpenApiDocument, OpenApiGap } from './document.ts'
import type { Operation } from './operations.ts'

/** One of these sets: the scheme, or each of its scopes. */
export function scopesOf({ security }: Operation): readonly (readonly string[])[] {
  return security.map((requirement) =>
    Object.entries(requirement).flatMap(([scheme, scopes]) => {
      const named = Array.isArray(scopes) ? scopes.filter((scope): scope is string => typeof scope === 'string') : []
      return named.length === 0 ? [scheme] : named.map((scope) => `${scheme}:${scope}`)
    }),
  )
}

export interface SecurityPlan {
  readonly headers: readonly (readonly [string, string])[]
  readonly query: readonly (readonly [string, string])[]
  readonly credentials: readonly { readonly name: string; readonly scheme: string }[]
}

type Planned = { readonly ok: true; readonly plan: SecurityPlan } | { readonly ok: false; readonly gap: OpenApiGap }

const nothing: SecurityPlan = { headers: [], query: [], credentials: [] }

/** The first alternative that a request can carry. */
export function securityPlan(document: OpenApiDocument, { security, pointer }: Operation): Planned {
  if (security.length === 0) return { ok: true, plan: nothing }
  for (const requirement of security) {
    const plan = planOf(document, requirement)
    if (plan !== undefined) return { ok: true, plan }
  }
  const gap = {
    pointer: `${pointer}/security`,
    construct: 'security',
    message: 'No alternative can be put into a request.',
  }
  return { ok: false, gap }
}

function planOf(document: OpenApiDocument, requirement: JsonObject): SecurityPlan | undefined {
  let plan = nothing
  for (const scheme of Object.keys(requirement)) {
    const place = credentialPlace(schemeNamed(document, scheme), credentialName(scheme))
    if (place === undefined) return undefined
    plan = {
      headers: [...plan.headers, ...(place.in === 'header' ? [[place.name, place.value] as const] : [])],
      query: [...plan.query, ...(place.in === 'query' ? [[place.name, place.value] as const] : [])],
      credentials: [...plan.credentials, { name: credentialName(scheme), scheme }],
    }
  }
  const names = plan.headers.map(([name]) => name.toLowerCase())
  return new Set(names).size < names.length ? undefined : plan
}

export function schemeNamed({ root, version }: OpenApiDocument, name: string): JsonObject | undefined {
  const holder =
    version === '2.0'
      ? root.securityDefinitions
      : isObject(root.components)
        ? root.components.securitySchemes
        : undefined
  const scheme: JsonValue | undefined = isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined
  return isObject(scheme) ? scheme : undefined
}

const credentialName = (scheme: string): string =>
  `${/^[A-Za-z]/.test(scheme) ? '' : 'c'}${scheme.replace(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, 64)

interface CredentialPlace {
  readonly in: 'header' | 'query'
  readonly name: string
  readonly value: string
}

function credentialPlace(scheme: JsonObject | undefined, credential: string): CredentialPlace | undefined {
  const value = `{credential:${credential}}`
  switch (scheme?.type) {
    case 'apiKey': {
      const { in: place, name } = scheme
      return (place === 'header' || place === 'query') && typeof name === 'string'
        ? { in: place, name, value }
        : undefined
    }
    case 'oauth2':
    case 'openIdConnect':
      return { in: 'header', name: 'authorization', value: `Bearer ${value}` }
    case 'basic':
      return { in: 'header', name: 'authorization', value: `Basic ${value}` }
    case 'http': {
      const kind = typeof scheme.scheme === 'string' ? scheme.scheme.toLowerCase() : ''
      if (kind !== 'bearer' && kind !== 'basic') return undefined
      return { in: 'header', name: 'authorization', value: `${kind === 'bearer' ? 'Bearer' : 'Basic'} ${value}` }
    }
    default:
      return undefined
  }
}
