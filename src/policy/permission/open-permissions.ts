// Permission rules as a Proviso is opened with them. What cannot be read, or not be judged for a tool, is refused.
import { Fault } from '../../contract/fault.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { createPermissionBook, type PermissionBook } from './permission-book.ts'
import type { Permissions } from './permission-rule.ts'
import { readPermissions } from './read-permissions.ts'

const silent = createPermissionBook({})

export function readPermissionBook(given: Permissions | undefined): PermissionBook {
  if (given === undefined) return silent
  const reading = readPermissions(given)
  if (reading.ok) return createPermissionBook(reading.permissions)
  const details = reading.problems.map(({ pointer, message }) => `permissions${pointer}: ${message}`)
  throw new Fault('bad_options', details.join(' '), { details })
}

/** Throws where a condition cannot be judged for this tool: its calls would all be denied. */
export function refuseUnfit(tool: Tool, permissions: PermissionBook): void {
  if (!permissions.speaks) return
  const details = permissions.faultsFor(tool).map(({ rule, reason }) => `${rule}: ${reason}`)
  if (details.length === 0) return
  const { name } = tool.contract.identity
  throw new Fault('registration_refused', `Tool ${name} is refused. ${details.join(' ')}`, { details })
}
