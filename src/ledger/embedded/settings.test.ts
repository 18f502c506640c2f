import { expect, test } from 'vitest'
import { checkSettings, clusterName, serverArguments } from './settings.ts'

const place = { home: '/home/x', data: '/home/x/data', socketFolder: '/home/x/socket' }

test('a setting of the caller replaces ours', () => {
  const args = serverArguments(place, { max_connections: '300' })
  expect(args).toContain('max_connections=300')
  expect(args).not.toContain('max_connections=100')
})

test.each(['listen_addresses', 'hba_file', 'unix_socket_permissions', 'port', '-x', 'a b', 'FSYNC'])(
  'the setting %s is refused',
  (name) => {
    expect(() => checkSettings({ [name]: '1' })).toThrow(`The setting ${name} is not one`)
  },
)

test('a durable server is the default', () => {
  const args = serverArguments(place, {})
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) expect(args).toContain(`${name}=on`)
})

test('servers of different folders have different titles', () => {
  expect(clusterName('/a/data')).not.toBe(clusterName('/b/data'))
})
