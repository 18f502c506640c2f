// `proviso keys`: credentials of people, agents and services.
import { type CommandRow, jsonOption, misuse } from './command.ts'
import { ledgerOptions } from './ledger/ledger-place.ts'

export const keys: CommandRow = {
  name: 'keys',
  group: 'People:',
  summary: 'make, list and revoke the keys that people, agents and services prove themselves with',
  arguments: [
    { syntax: '<action>', about: 'create, list or revoke' },
    { syntax: '[key]', about: 'with revoke: id of the key' },
  ],
  options: [
    { flags: '--user <name>', about: 'with create: whose key it is' },
    { flags: '--kind <kind>', about: 'with create: person, agent or service (default: person); only people decide' },
    { flags: '--tenant <name>', about: 'tenant of the key (default: default); with list: only its keys' },
    { flags: '--role <name>', about: 'with create: a role, such as approver, operator or compliance', repeats: true },
    { flags: '--scope <name>', about: 'with create: a scope', repeats: true },
    { flags: '--agent <name>', about: 'with create: the agent, for a key of kind agent' },
    { flags: '--expires <when>', about: 'with create: days, such as 90d, or an instant (default: never)' },
    ...ledgerOptions,
    jsonOption,
  ],
  examples: [
    'proviso keys create --user ann --role approver',
    'proviso keys create --user ann --kind agent --agent billing-agent --expires 30d --json',
    'proviso keys list',
    'proviso keys revoke 4jB7mQpX2RwK',
  ],
  exits: [
    'made, listed or revoked',
    'with revoke: it was revoked before',
    'wrong usage, no such key, or no place for keys',
  ],
  async run(given, terminal) {
    const [action, id, ...more] = given.words
    const takesKey = action === 'revoke'
    if (more.length > 0 || (!takesKey && id !== undefined)) return misuse(`proviso keys ${action} takes nothing more.`)
    const [{ withKeyStore }, { createKeyFor, listKeys, revokeKey }] = await Promise.all([
      import('./keys/with-key-store.ts'),
      import('./keys/manage-keys.ts'),
    ])
    switch (action) {
      case 'create':
        return withKeyStore(given, terminal, (store, place) => createKeyFor(store, given, terminal, place))
      case 'list':
        return withKeyStore(given, terminal, (store) => listKeys(store, given, terminal))
      case 'revoke':
        if (id === undefined) return misuse('Say which key: proviso keys revoke KEY.')
        return withKeyStore(given, terminal, (store) => revokeKey(store, id, given, terminal))
      default:
        return misuse(`There is no action ${String(action).slice(0, 64)}.`, ['Known are create, list and revoke.'])
    }
  },
}
