// Makes the manifest of a release, under the id that is the hash of its content.

import { Fault } from '../../contract/fault.ts'
import { observationSchemaHash, type Release, releaseId } from '../../contract/release/release.ts'
import { wrapperVersion } from '../../contract/release/wrapper-version.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
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
