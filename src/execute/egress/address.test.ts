import { describe, expect, it } from 'vitest'
import { kindOfAddress, ranges } from './address.ts'

const table: Readonly<Record<string, readonly string[]>> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '2606:4700::1111',
    '2001:200::1',
  ],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  forbidden: [
    '0.0.0.0',
    '0.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '169.254.169.254',
    '168.63.129.16',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:db8::1',
    '2002:a9fe:a9fe::1',
    '3fff::1',
    '5f00::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'no address',
    '',
    '127.1',
    '0x7f.1',
  ],
}

describe('kindOfAddress', () => {
  it.each(Object.entries(table).flatMap(([kind, list]) => list.map((address) => [address, kind] as const)))(
    'takes %s for %s [addresses-are-checked]',
    (address, kind) => expect(kindOfAddress(address)).toBe(kind),
  )

  it('finds every range of its table', () => {
    for (const { prefix, kind } of ranges)
      expect([prefix, kindOfAddress(prefix.split('/')[0] ?? '')]).toEqual([prefix, kind])
  })
})
