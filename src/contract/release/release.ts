// The release: one name for everything that has to fit together when an agent works — model, prompt, contracts, this package, and the
// shape of what it answers. Invariant: its id is the hash of all the rest, so that two of one name are the same.
import { readFileSync } from 'node:fs'
import { hashJson } from '../../json/hash.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { observationSchema } from '../call/observation.ts'
import { closed, text } from '../closed-schema.ts'

export interface Release {
  readonly id: string
  readonly model: string
  readonly prompt_template_hash: string
  readonly tools: { readonly [name: string]: { readonly version: string; readonly contract_hash: string } }
  readonly wrapper_version: string
  readonly observation_schema_hash: string
}

/** What a caller says it was built from and runs with. */
export interface ReleaseClaim {
  /** Undefined: the one that the run has. */
  readonly release: string | undefined
  readonly model: string | undefined
  readonly promptHash: string | undefined
}

/** Undefined where the caller says nothing. A model or a prompt alone is held against the release that its run has. */
export function claimOf({ release, model, promptHash }: Partial<ReleaseClaim>): ReleaseClaim | undefined {
  if (release === undefined && model === undefined && promptHash === undefined) return undefined
  return { release, model, promptHash }
}

const digest = (description: string): JsonObject => ({ type: 'string', pattern: '^[0-9a-f]{64}$', description })

/** The manifest's JSON Schema, published as schemas/release.schema.json. */
export const releaseSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:proviso:schema:release',
  title: 'Release',
  ...closed('What is promoted and rolled back together. Closed.', {
    id: digest('SHA-256 of the canonical JSON (RFC 8785) of all other fields.'),
    model: { ...text('The model, as its provider names it.'), minLength: 1, maxLength: 512 },
    prompt_template_hash: digest('SHA-256 of the prompt template, as UTF-8.'),
    tools: {
      type: 'object',
      description: 'The contracts, by the names of their tools.',
      minProperties: 1,
      propertyNames: { pattern: '^[a-zA-Z0-9_.-]{1,128}$' },
      additionalProperties: closed('One contract.', {
        version: text('Its version.'),
        contract_hash: digest('SHA-256 of its canonical JSON.'),
      }),
    },
    wrapper_version: text('The version of this package.'),
    observation_schema_hash: digest('SHA-256 of the canonical JSON Schema of observations.'),
  }),
}

/** The id that a manifest with this content has. */
export function releaseId({ id: _id, ...content }: Release | (Omit<Release, 'id'> & { readonly id?: never })): string {
  return hashJson(content as unknown as JsonValue)
}

let observationHash: string | undefined

export function observationSchemaHash(): string {
  observationHash ??= hashJson(observationSchema)
  return observationHash
}

let ownVersion: string | undefined

/** The version of this package, from its own package.json: three folders up in a checkout, four when built into dist/. */
export function wrapperVersion(): string {
  ownVersion ??= ['../../../package.json', '../../../../package.json']
    .map(versionIn)
    .find((version) => version !== undefined)
  return ownVersion ?? 'unknown'
}

function versionIn(place: string): string | undefined {
  try {
    const { name, version }: { readonly name?: unknown; readonly version?: unknown } = JSON.parse(
      readFileSync(new URL(place, import.meta.url), 'utf8'),
    )
    return name === 'proviso' && typeof version === 'string' ? version : undefined
  } catch {
    // Not there: the other place is.
    return undefined
  }
}
