// Reads a manifest that somebody hands in: whole, closed, and under the id that is the hash of its content.

import { Fault } from '../../contract/fault.ts'
import { type Release, releaseId, releaseSchema } from '../../contract/release/release.ts'
import { compileSchema } from '../../contract/tool/compile-tool.ts'
import type { CompiledSchema } from '../../contract/tool/tool.ts'
import { copyParsed } from '../../json/copy.ts'

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
