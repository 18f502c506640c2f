// Rules about the file itself: is it a tool file, is its code there, and does it get along with the other files.
import { basename } from 'node:path'
import { readSemver } from '../../drift/versions/semver.ts'
import { nearestNames } from '../../json/nearest.ts'
import type { RuleRow, Spot } from './finding.ts'
import { namesOf, type ReadSubject } from './subject.ts'

export const fileRules: readonly RuleRow[] = [
  {
    id: 'tool-file-invalid',
    level: 'error',
    what: 'The file is no tool file: not YAML or JSON, or not { contract, binding } as published.',
    why: 'A file that cannot be read exactly is refused as a whole; nothing is guessed.',
    find: (subject) =>
      subject.ok
        ? []
        : subject.problems.map(({ pointer, message }) => ({
            pointer,
            message,
            write: 'what schemas/tool-file.schema.json describes',
          })),
  },
  {
    id: 'module-missing',
    level: 'error',
    what: 'The binding names a module that does not exist.',
    why: 'The tool could not be loaded, and with it no other tool of the folder.',
    find: (subject) =>
      subject.ok
        ? subject.missingModules.map(({ pointer, message }) => ({
            pointer,
            message,
            write: 'a path relative to this file',
          }))
        : [],
  },
  {
    id: 'code-refused',
    level: 'error',
    what: 'With --load: a module or an export of the binding cannot be used.',
    why: 'A missing export is found when the tool is loaded, which should be before it is needed.',
    find: (subject) =>
      subject.ok
        ? subject.loadProblems.map(({ pointer, message }) => ({
            pointer,
            message,
            write: 'module and export of a function or object that exists',
          }))
        : [],
  },
  {
    id: 'executor-refused',
    level: 'error',
    what: 'What the binding declares of its executor cannot be taken: a template, a path or an address that is none.',
    why: 'The tool could not be loaded, and with it no other tool of the folder.',
    find: (subject) =>
      subject.ok
        ? subject.executorProblems.map(({ pointer, message }) => ({
            pointer,
            message,
            write: 'what the guide to executors shows for its kind',
          }))
        : [],
  },
  {
    id: 'name-taken',
    level: 'error',
    what: 'Two of the files checked declare the same name or alias, or the same version of one tool.',
    why: 'A model could not say which of the two it means; registration refuses the second.',
    find: (subject) => {
      if (!subject.ok) return []
      const clash = versionClash(subject)
      if (clash !== undefined) return [clash]
      return namesOf(subject).flatMap((name): readonly Spot[] => {
        const owner = subject.firstOwner.get(name)
        if (owner === undefined || owner === subject.file) return []
        // Versions of one tool share its names.
        if (subject.identities.get(owner)?.name === subject.contract.identity.name) return []
        const pointer = name === subject.contract.identity.name ? '/contract/identity/name' : '/binding/aliases'
        return [{ pointer, message: `The name ${name} is already taken by ${basename(owner)}.`, write: 'another name' }]
      })
    },
  },
  {
    id: 'unknown-tool-named',
    level: 'info',
    what: 'The compensation or the replacement names a tool that is in none of the files checked.',
    why: 'What undoes an effect should be there before the effect is.',
    find: (subject) => {
      if (!subject.ok) return []
      const { identity, transactional } = subject.contract
      const named = [
        { pointer: '/contract/transactional/compensation_tool', name: transactional.compensation_tool },
        { pointer: '/contract/identity/lifecycle/replacement', name: identity.lifecycle.replacement },
      ]
      return named.flatMap(({ pointer, name }): readonly Spot[] => {
        if (name === null || subject.firstOwner.has(name)) return []
        const [near] = nearestNames(name, subject.firstOwner.keys(), 1)
        return [
          { pointer, message: `No file checked declares ${name}.`, write: near ?? 'the name of a tool that exists' },
        ]
      })
    },
  },
  {
    id: 'file-name-differs',
    level: 'info',
    what: 'The file is named differently from its tool.',
    why: 'Whoever reads a tool name in a trace should find its file by it.',
    find: (subject) => {
      if (!subject.ok) return []
      const { name, version } = subject.contract.identity
      const stem = basename(subject.file).replace(/(?:\.tool)?\.(?:ya?ml|json)$/, '')
      if (stem === name || stem === `${name}@${version}`) return []
      return [
        {
          pointer: '/contract/identity/name',
          message: `The file is called ${stem}, the tool ${name}.`,
          write: `${name}.tool.yaml as the file name, or ${name}@${version}.tool.yaml beside other versions`,
        },
      ]
    },
  },
]

/** Of several files for one tool: the same version twice, or one that cannot be put in order. */
function versionClash({ file, contract, identities }: ReadSubject): Spot | undefined {
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
