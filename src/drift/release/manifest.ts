// The manifest of a release: made from its parts, and read from a host. Invariant: its id is the hash of its content.
import { Fault } from '../../contract/fault.ts'
import {
  observationSchemaHash,
  type Release,
  releaseId,
  releaseSchema,
  wrapperVersion,
} from '../../contract/release/release.ts'
import { compileSchema } from '../../contract/tool/compile-tool.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import type { CompiledSchema } from '../../contract/tool/tool.ts'
import { copyParsed } from '../../json/copy.ts'
import { hashJson, sha256 } from '../../json/hash.ts'
import type { JsonValue } from '../../json/value.ts'

export interface ReleaseParts {
  /** As its provider names it. */
  readonly model: string
  /** The text of the prompt template, or its SHA-256 where the text lives elsewhere. */
  readonly prompt: string | { readonly sha256: string }
  /** One version of each tool. */
  readonly tools: Iterable<{ readonly contract: Contract }>
}

export function makeRelease({ model, prompt, tools }: ReleaseParts): Release {
  const contracts = new Map<string, Contract>()
  for (const { contract } of tools) {
    const { name } = contract.identity
    if (contracts.has(name)) throw new Fault('bad_options', `A release has one version of ${name}; two were given.`)
    contracts.set(name, contract)
  }
  const prompted = typeof prompt === 'string' ? sha256(prompt) : prompt.sha256
  if (!/^[0-9a-f]{64}$/.test(prompted))
    throw new Fault('bad_options', 'A SHA-256 is 64 hexadecimal digits, lower case.')
  if (model === '' || contracts.size === 0) throw new Fault('bad_options', 'A release names a model and its tools.')
  const content = {
    model,
    prompt_template_hash: prompted,
    tools: Object.fromEntries(
      [...contracts].map(([name, contract]) => [
        name,
        { version: contract.identity.version, contract_hash: hashJson(contract as unknown as JsonValue) },
      ]),
    ),
    wrapper_version: wrapperVersion(),
    observation_schema_hash: observationSchemaHash(),
  }
  return { id: releaseId(content), ...content }
}

let schema: CompiledSchema | undefined

/** The manifest as it is, copied; or the Fault that says where it is none. */
export function readRelease(given: unknown): Release {
  schema ??= compiled()
  const copy = copyParsed(given)
  if (!copy.ok)
    throw new Fault('bad_options', `A release is no JSON at ${copy.refusal.pointer}: ${copy.refusal.message}`)
  if (!schema.matches(copy.value)) {
    const problems = schema.explain(copy.value, []).map(({ pointer, message }) => `${pointer}: ${message}`)
    throw new Fault('bad_options', `This is no release. ${problems.join(' ')}`, { details: problems })
  }
  const release = copy.value as unknown as Release
  if (releaseId(release) !== release.id)
    throw new Fault('bad_options', 'The id of a release is the hash of its content; this one was changed afterwards.')
  return release
}

function compiled(): CompiledSchema {
  const compilation = compileSchema(releaseSchema, '')
  if (!compilation.ok) throw new Fault('internal', 'The schema of releases is broken.')
  return compilation.schema
}
