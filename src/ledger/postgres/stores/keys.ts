// Keys of people and agents in the database: looked up by id, as the owner, before any tenant is known. Rows hold digests, no secrets.
import type { KeyStore, StoredKey } from '../../../contract/approval/identity.ts'
import type { EpochMs } from '../../../json/clock.ts'
import type { Database } from '../driver/database.ts'

type Row = [body: Buffer, revokedAt: number | null]

export function createKeyRows(database: Database): KeyStore {
  const find = async (id: string): Promise<StoredKey | undefined> => {
    const [row] = await database.run<Row>('key', [id])
    return row === undefined ? undefined : keyFromRow(row)
  }

  return {
    find,
    async save({ revokedAt, ...key }) {
      await database.run('key-add', [key.id, key.tenant, Buffer.from(JSON.stringify(key))])
      if (revokedAt !== undefined) await database.run('key-revoke', [key.id, revokedAt])
    },
    async list(tenant) {
      return (await database.run<Row>('keys', [tenant ?? null])).map(keyFromRow)
    },
    async revoke(id, at) {
      await database.run('key-revoke', [id, at])
      return find(id)
    },
  }
}

/** A key's digest covers its person and roles: a row with a changed role no longer opens. */
function keyFromRow([body, revokedAt]: Row): StoredKey {
  const { agent, expiresAt, ...kept } = JSON.parse(body.toString()) as StoredKey
  return { ...kept, agent, expiresAt, revokedAt: revokedAt === null ? undefined : (revokedAt as EpochMs) }
}
