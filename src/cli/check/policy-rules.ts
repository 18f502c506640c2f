// What is wrong with the policies beside the tool files: sets in Cedar, checked against every tool that was read, and permission rules.
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Tool } from '../../contract/tool/tool.ts'
import { policyTool } from '../../policy/cedar/cedar-voices.ts'
import { checkPolicies } from '../../policy/cedar/check-policies.ts'
import { loadPolicies } from '../../policy/cedar/load-policies.ts'
import { createPermissionBook } from '../../policy/permission/permission-book.ts'
import { foundAt } from '../../runtime/file-at.ts'
import { readPermissionFile } from '../../runtime/load-permissions.ts'
import { type FileReport, locator, type PlacedFinding } from './lint.ts'
import type { LintRuleWords } from './lint-rule.ts'

/** Rules about policies; they look at all files together, and so are not walked like the others. */
export const policyLintRules: readonly LintRuleWords[] = [
  {
    id: 'policy-refused',
    level: 'error',
    what: 'A policy in Cedar cannot be read, or cannot be judged for a tool that it is about.',
    why: 'Proviso is not opened with such a set: that a rule of it is missing would not be noticed.',
  },
  {
    id: 'policy-doubtful',
    level: 'warning',
    what: 'A policy in Cedar can never apply, or names a tool that is in none of the files checked.',
    why: 'A forbid that never applies protects nothing.',
  },
  {
    id: 'permission-refused',
    level: 'error',
    what: 'A permission rule cannot be read, or its condition does not compile for a tool that it is about.',
    why: 'Proviso is not opened with such rules; a misspelt matcher would speak about everything.',
  },
]

/** The policies that were named, or those in folders called `policies` beside the tool files and beside what was checked. */
export async function policyFiles(
  toolFiles: readonly string[],
  given: { readonly paths: readonly string[]; readonly named: string | undefined },
): Promise<readonly string[]> {
  if (given.named !== undefined) {
    const found = await foundAt(given.named)
    return found?.isDirectory() === true ? filesIn(given.named) : [given.named]
  }
  const beside = [...toolFiles, ...given.paths].map((path) => join(dirname(resolve(path)), 'policies'))
  const lists = await Promise.all([...new Set(beside)].map(filesIn))
  return [...new Set(lists.flat())]
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await foundAt(folder)
  const names = found?.isDirectory() === true ? await readdir(folder) : []
  return names
    .filter((name) => name.endsWith('.cedar') || /^permissions\.(?:ya?ml|json)$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

export async function reportOnPolicies(
  files: readonly string[],
  tools: readonly Tool[],
): Promise<readonly FileReport[]> {
  const sets = files.filter((file) => file.endsWith('.cedar'))
  const rules = files.filter((file) => !file.endsWith('.cedar'))
  return [
    ...(sets.length === 0 ? [] : await reportOnSets(sets, tools)),
    ...(await Promise.all(rules.map((file) => reportOnRules(file, tools)))),
  ]
}

async function reportOnSets(files: readonly string[], tools: readonly Tool[]): Promise<readonly FileReport[]> {
  const loading = await loadPolicies({ files })
  const problems = loading.ok ? checkPolicies(loading.policies, tools.map(policyTool)) : loading.problems
  return files.map((file) => ({
    file,
    tool: null,
    findings: problems
      .filter(({ source }) => source === basename(file) || source === file)
      .map(({ level, policy, line, column, message }): PlacedFinding => {
        const refused = level === 'error'
        return {
          rule: refused ? 'policy-refused' : 'policy-doubtful',
          level,
          pointer: policy ?? '',
          line,
          column,
          message,
          write: refused ? 'a policy that fits the arguments of the tools it is about' : 'the tool that is meant',
        }
      }),
  }))
}

async function reportOnRules(file: string, tools: readonly Tool[]): Promise<FileReport> {
  const reading = await readPermissionFile(file)
  const problems = reading.ok
    ? tools.flatMap((tool) => {
        const { name } = tool.contract.identity
        return createPermissionBook(reading.permissions)
          .faultsFor(tool)
          .map(({ pointer, reason }) => ({ pointer: `${pointer}/when`, message: `For ${name}: ${reason}` }))
      })
    : reading.problems
  // Only for the lines; that it cannot be read is among the problems already.
  const locate = await locator(await readFile(file, 'utf8').catch(() => ''))
  const findings = problems.map(({ pointer, message }): PlacedFinding => {
    const { line = null, column = null } = locate(pointer) ?? {}
    const write = 'a rule as openProviso takes it, with conditions over declared arguments'
    return { rule: 'permission-refused', level: 'error', pointer, line, column, message, write }
  })
  return { file, tool: null, findings }
}
