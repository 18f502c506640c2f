// Reads permission rules from a file, YAML or JSON: the same lists that openProviso takes, by who wrote them.
import { Fault } from '../contract/fault.ts'
import type { Permissions } from '../policy/permission/permission-rule.ts'
import { type PermissionReading, readPermissions } from '../policy/permission/read-permissions.ts'
import { readDocument } from './read-document.ts'

/** Throws one Fault that names every problem found. */
export async function loadPermissions(file: string): Promise<Permissions> {
  const reading = await readPermissionFile(file)
  if (reading.ok) return reading.permissions
  const details = reading.problems.map(
    ({ pointer, message }) => `${file}${pointer === '' ? '' : `#${pointer}`}: ${message}`,
  )
  throw new Fault('bad_options', details.join('\n'), { details })
}

export async function readPermissionFile(file: string): Promise<PermissionReading> {
  const document = await readDocument(file)
  return document.ok ? readPermissions(document.value) : document
}
