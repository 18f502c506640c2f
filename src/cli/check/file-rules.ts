// Rules about the file itself: is it a tool file, is its code there, and does it get along with the other files.
import { basename } from 'node:path'
import type { Problem } from '../../contract/tool/compile-tool.ts'
import { readSemver } from '../../drift/versions/semver.ts'
import { nearestNames } from '../../json/nearest.ts'
import { type LintRule, type LintSpot, spotAt } from './lint-rule.ts'
import { declaredNames, type ReadSubject } from './subject.ts'

/** Every problem of a reading, with the same remedy. */
const problemSpots = (problems: readonly Problem[], write: string): readonly LintSpot[] =>
  problems.map(({ pointer, message }) => ({ pointer, message, write }))

export const fileLintRules: readonly LintRule[] = [
  {
    id: 'tool-file-invalid',
    level: 'error',
    what: 'The file is no tool file: not YAML or JSON, or not { contract, binding } as published.',
    why: 'A file that cannot be read exactly is refused as a whole; nothing is guessed.',
    find: () => [],
    findUnread: ({ problems }) => problemSpots(problems, 'what schemas/tool-file.schema.json describes'),
  },
  {
    id: 'module-missing',
    level: 'error',
    what: 'The binding names a module that does not exist.',
    why: 'The tool could not be loaded, and with it no other tool of the folder.',
    find: ({ missingModules }) => problemSpots(missingModules, 'a path relative to this file'),
  },
  {
    id: 'code-refused',
    level: 'error',
    what: 'With --load: a module or an export of the binding cannot be used.',
    why: 'A missing export is found when the tool is loaded, which should be before it is needed.',
    find: ({ loadProblems }) => problemSpots(loadProblems, 'module and export of a function or object that exists'),
  },
  {
    id: 'executor-refused',
    level: 'error',
    what: 'What the binding declares of its executor cannot be taken: a template, a path or an address that is none.',
    why: 'The tool could not be loaded, and with it no other tool of the folder.',
    find: ({ executorProblems }) => problemSpots(executorProblems, 'what the guide to executors shows for its kind'),
  },
  {
    id: 'name-taken',
    level: 'error',
    what: 'Two of the files checked declare the same name or alias, or the same version of one tool.',
    why: 'A model could not say which of the two it means; registration refuses the second.',
    find: (subject) => {
      const clash = versionClash(subject)
      return clash === undefined ? takenNames(subject) : [clash]
    },
  },
  {
    id: 'unknown-tool-named',
    level: 'info',
    what: 'The compensation or the replacement names a tool that is in none of the files checked.',
    why: 'What undoes an effect should be there before the effect is.',
    find: ({ contract: { identity, transactional }, firstOwner }) => {
      const named = [
        { pointer: '/contract/transactional/compensation_tool', name: transactional.compensation_tool },
        { pointer: '/contract/identity/lifecycle/replacement', name: identity.lifecycle.replacement },
      ]
      return named.flatMap(({ pointer, name }): readonly LintSpot[] => {
        if (name === null || firstOwner.has(name)) return []
        const [near] = nearestNames(name, firstOwner.keys(), 1)
        return spotAt(pointer, `No file checked declares ${name}.`, near ?? 'the name of a tool that exists')
      })
    },
  },
  {
    id: 'file-name-differs',
    level: 'info',
    what: 'The file is named differently from its tool.',
    why: 'A person who reads a tool name in a trace should find its file by it.',
    find: ({ contract, file }) => {
      const { name, version } = contract.identity
      const stem = basename(file).replace(/(?:\.tool)?\.(?:ya?ml|json)$/, '')
      if (stem === name || stem === `${name}@${version}`) return []
      return spotAt(
        '/contract/identity/name',
        `The file is called ${stem}, the tool ${name}.`,
        `${name}.tool.yaml as the file name, or ${name}@${version}.tool.yaml beside other versions`,
      )
    },
  },
]

/** Versions of one tool share its names; other tools must not. */
function takenNames({ file, contract, binding, firstOwner, identities }: ReadSubject): readonly LintSpot[] {
  return declaredNames({ contract, binding }).flatMap((name): readonly LintSpot[] => {
    const owner = firstOwner.get(name)
    if (owner === undefined || owner === file) return []
    if (identities.get(owner)?.name === contract.identity.name) return []
    const pointer = name === contract.identity.name ? '/contract/identity/name' : '/binding/aliases'
    return spotAt(pointer, `The name ${name} is already taken by ${basename(owner)}.`, 'another name')
  })
}

/** Of several files for one tool: the same version twice, or one that cannot be put in order. */
function versionClash({ file, contract, identities }: ReadSubject): LintSpot | undefined {
  const { name, version } = contract.identity
  const pointer = '/contract/identity/version'
  const others = [...identities].filter(([other, identity]) => other !== file && identity.name === name)
  const [first] = [...identities].find(([, identity]) => identity.name === name && identity.version === version) ?? []
  if (first !== undefined && first !== file)
    return {
      pointer,
      message: `${name} ${version} is already declared by ${basename(first)}.`,
      write: 'another version',
    }
  if (others.length === 0 || readSemver(version) !== undefined) return undefined
  const message = `${name} has several versions, and ${version} is no semantic version: their order cannot be told.`
  return { pointer, message, write: 'a version such as 1.2.0' }
}
