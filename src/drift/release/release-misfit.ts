// Whether a call fits the release it belongs to: the same contract, model, prompt, package and observations, all of them or nothing.
import {
  observationSchemaHash,
  type Release,
  type ReleaseClaim,
  wrapperVersion,
} from '../../contract/release/release.ts'
import type { Tool } from '../../contract/tool/tool.ts'

export interface MisfitInput {
  readonly id: string
  /** Undefined where this process does not know it. */
  readonly release: Release | undefined
  readonly isWithdrawn: boolean
  readonly claim: Pick<ReleaseClaim, 'model' | 'promptHash'> | undefined
  readonly tool: Tool
}

/** One sentence, or undefined where everything fits. */
export function releaseMisfit({ id, release, isWithdrawn, claim, tool }: MisfitInput): string | undefined {
  const named = `Release ${id.slice(0, 12)}`
  if (release === undefined) return `${named} is not known here.`
  if (isWithdrawn) return `${named} was rolled back; begin again with the one that is in force.`
  const { name, version } = tool.contract.identity
  const own = Object.hasOwn(release.tools, name) ? release.tools[name] : undefined
  if (own === undefined) return `${named} does not include ${name}.`
  if (own.contract_hash !== tool.contractHash)
    return own.version === version
      ? `${named} has another contract of ${name} ${version} than is registered here.`
      : `${named} has ${name} ${own.version}; here it is ${version}.`
  if (claim?.model !== undefined && claim.model !== release.model)
    return `${named} is for the model ${release.model}; this call is made with another one.`
  if (claim?.promptHash !== undefined && claim.promptHash !== release.prompt_template_hash)
    return `${named} has another prompt template than this call is made with.`
  return wrapperMisfit(release)
}

/** What of a release this package itself cannot be. */
export function wrapperMisfit({ id, wrapper_version, observation_schema_hash }: Release): string | undefined {
  const named = `Release ${id.slice(0, 12)}`
  if (wrapper_version !== wrapperVersion())
    return `${named} was made with version ${wrapper_version} of proviso; this is ${wrapperVersion()}.`
  if (observation_schema_hash !== observationSchemaHash()) return `${named} has another schema of observations.`
  return undefined
}
