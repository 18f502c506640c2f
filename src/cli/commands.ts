// The commands. This list is the whole truth: `proviso --help` prints it and main.ts runs it.
import type { CommandRow } from './command.ts'

export const commands: readonly CommandRow[] = [
  {
    name: 'init',
    group: 'Start:',
    summary: 'write two example tools with their code, to try and to change',
    load: async () => (await import('./init/init.ts')).initCommand,
  },
  {
    name: 'demo',
    group: 'Start:',
    summary: 'watch an agent meet the gates: the billing example, run here',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'gates',
    group: 'Tools:',
    summary: 'print the phases every call passes, and what each can refuse',
    load: async () => (await import('./gates.ts')).gatesCommand,
  },
  {
    name: 'check',
    group: 'Tools:',
    summary: 'look for mistakes in tool files and policies',
    load: async () => (await import('./check/check.ts')).checkCommand,
  },
  {
    name: 'diff',
    group: 'Tools:',
    summary: 'compare two versions of tools, and check that their version numbers announce what breaks',
    load: async () => (await import('./diff/diff.ts')).diffCommand,
  },
  {
    name: 'drift',
    group: 'Tools:',
    summary: 'pin what MCP servers and HTTP interfaces publish, and see what has changed since a person approved it',
    load: async () => (await import('./drift/drift.ts')).driftCommand,
  },
  {
    name: 'call',
    group: 'Calls:',
    summary: 'propose one call to a tool, as a model would, and see what becomes of it',
    load: async () => (await import('./call/call.ts')).callCommand,
  },
  {
    name: 'calls',
    group: 'Calls:',
    summary: 'list the calls on record, follow them, and resolve the ones that are held',
    load: async () => (await import('./calls/calls.ts')).callsCommand,
  },
  {
    name: 'sagas',
    group: 'Calls:',
    summary: 'list sagas, show the journal of one, and resume those that stand still',
    load: async () => (await import('./sagas/sagas.ts')).sagasCommand,
  },
  {
    name: 'versions',
    group: 'Tools:',
    summary: 'list, promote, try out, roll back and compare versions of tools, and releases',
    load: async () => (await import('./versions/versions.ts')).versionsCommand,
  },
  {
    name: 'explain',
    group: 'Calls:',
    summary: 'show why a recorded call ended as it did, phase by phase, and what is promised of its effect',
    load: async () => (await import('./explain/explain.ts')).explainCommand,
  },
  {
    name: 'audit',
    group: 'Calls:',
    summary: 'verify that no record was changed, prove a call to others, sign checkpoints to keep elsewhere',
    load: async () => (await import('./audit/audit.ts')).auditCommand,
  },
  {
    name: 'approvals',
    group: 'People:',
    summary: 'see what waits for people, look at it, approve or reject it; give and revoke standing approvals',
    load: async () => (await import('./approvals/approvals.ts')).approvalsCommand,
  },
  {
    name: 'keys',
    group: 'People:',
    summary: 'make, list and revoke the keys that people, agents and services prove themselves with',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
  {
    name: 'subschema',
    group: 'Tools:',
    summary: 'prove that every value of one JSON Schema is a value of another, or show one that is not',
    load: async () => (await import('./subschema/subschema.ts')).subschemaCommand,
  },
]
