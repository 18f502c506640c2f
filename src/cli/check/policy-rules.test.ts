// Faults planted in policies and permission rules beside tool files are found, at their place.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lookupOrderFile } from '../init/starter.ts'
import { policyFiles, policyLintRules, reportOnPolicies } from './policy-rules.ts'
import { readSubjects } from './subject.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proviso-policies-'))
  await mkdir(join(folder, 'tools', 'policies'), { recursive: true })
  await mkdir(join(folder, 'policies'))
  await writeFile(join(folder, 'tools', 'lookup_order_v1.tool.yaml'), lookupOrderFile)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const toolFile = () => join(folder, 'tools', 'lookup_order_v1.tool.yaml')

async function findings(name: string, text: string) {
  const file = join(folder, name)
  await writeFile(file, text)
  const subjects = await readSubjects([toolFile()], { load: false })
  const tools = subjects.flatMap((subject) => (subject.ok && subject.tool !== undefined ? [subject.tool] : []))
  const [report] = await reportOnPolicies([file], tools)
  return report?.findings.map(({ rule, level, line, message }) => ({ rule, level, line, message }))
}

describe('policies beside tool files', () => {
  it('are found beside the files and beside what is checked, or where they are said to be', async () => {
    const beside = join(folder, 'tools', 'policies', 'desk.cedar')
    const above = join(folder, 'policies', 'permissions.yaml')
    await writeFile(beside, '')
    await writeFile(above, '{}')
    await writeFile(join(folder, 'policies', 'notes.txt'), 'not ours')
    const paths = [join(folder, 'tools')]
    expect(await policyFiles([toolFile()], { paths, named: undefined })).toEqual([beside, above])
    expect(await policyFiles([toolFile()], { paths, named: join(folder, 'policies') })).toEqual([above])
    expect(await policyFiles([toolFile()], { paths, named: beside })).toEqual([beside])
  })

  it('are not taken for absent where they cannot be looked at', async () => {
    const beside = join(folder, 'looping')
    await mkdir(beside)
    await symlink('policies', join(beside, 'policies'))
    const looking = policyFiles([join(beside, 'a.tool.yaml')], { paths: [], named: undefined })
    await expect(looking).rejects.toThrow('cannot be looked at (ELOOP)')
    const named = policyFiles([], { paths: [], named: join(beside, 'policies') })
    await expect(named).rejects.toThrow('cannot be looked at (ELOOP)')
  })

  it('are fine where they fit', async () => {
    const text = 'permit (principal, action == Action::"lookup_order_v1", resource);\n'
    expect(await findings('fine.cedar', text)).toEqual([])
    expect(await findings('permissions.yaml', 'user: [{ id: a, says: ask, when: args.order_id != "x" }]')).toEqual([])
  })

  it('are refused where they cannot be read or judged, and doubted where they would never apply', async () => {
    const planted = [
      ['broken.cedar', '\npermit (principal, action', 'policy-refused', 2],
      ['typo.cedar', 'forbid (principal, action, resource)\nwhen { context.args.order == "x" };', 'policy-refused', 2],
      ['unheard.cedar', '\n\nforbid (principal, action == Action::"lookup_v1", resource);', 'policy-doubtful', 3],
      ['permissions.yaml', 'user:\n  - id: a\n    says: no', 'permission-refused', 3],
      ['permissions.json', '{"run":[{"id":"a","says":"deny",\n"when":"args.nothing"}]}', 'permission-refused', 2],
      ['permissions.yml', 'user: [', 'permission-refused', null],
    ] as const
    for (const [name, text, rule, line] of planted) {
      const found = await findings(name, text)
      expect([name, found?.[0]]).toEqual([name, expect.objectContaining({ rule, line })])
    }
    expect(new Set(planted.map(([, , rule]) => rule))).toEqual(new Set(policyLintRules.map(({ id }) => id)))
  })
})
