/** A primary and its secondaries, each with a link of its own to the primary. */
import { Datacenter, MANAGEMENT } from './datacenter.ts'
import { FaultyLink } from './faulty-link.ts'

/** The secret of the secondaries' replication token. */
export const REPLICATION = '22222222-2222-4333-8444-555555555555'

export interface Secondary {
  readonly datacenter: Datacenter
  /** To the primary: replication and forwarded requests. */
  readonly link: FaultyLink
}

export interface Fleet {
  readonly primary: Datacenter
  readonly secondaries: readonly Secondary[]
  /** Kills all processes. */
  close(): Promise<void>
}

/** Further settings of a secondary. */
type SecondaryEnv = (link: FaultyLink) => Promise<Readonly<Record<string, string>>>

/**
 * Starts all datacenters, without waiting for replication.
 *
 * @param databaseUrls the primary's first.
 */
export async function startFleet(
  databaseUrls: readonly string[],
  secondaryEnv: SecondaryEnv = async () => ({}),
): Promise<Fleet> {
  const [first, ...others] = databaseUrls
  if (first === undefined) throw new TypeError('a fleet has a primary')
  const primary = await preparePrimary(first)
  const secondaries: Secondary[] = []
  const close = async () => {
    await Promise.all([primary, ...secondaries.map(({ datacenter }) => datacenter)].map((dc) => dc.stop()))
    await Promise.all(secondaries.map(({ link }) => link.close()))
  }
  try {
    await primary.start()
    await createReplicationToken(primary)
    for (const [i, url] of others.entries()) {
      secondaries.push(await prepareSecondary(primary, { name: `dc${i + 2}`, url, secondaryEnv }))
    }
    await Promise.all(secondaries.map(({ datacenter }) => datacenter.start()))
  } catch (error) {
    await close()
    throw error
  }
  return { primary, secondaries, close }
}

/** A primary that is not started yet. */
export function preparePrimary(databaseUrl: string): Promise<Datacenter> {
  return Datacenter.prepare('dc1', databaseUrl, { LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT })
}

/** A secondary that is not started yet. */
export async function prepareSecondary(
  primary: Datacenter,
  {
    name,
    url,
    secondaryEnv = async () => ({}),
  }: { readonly name: string; readonly url: string; readonly secondaryEnv?: SecondaryEnv },
): Promise<Secondary> {
  const link = await FaultyLink.open(primary.url)
  const datacenter = await Datacenter.prepare(name, url, {
    LATCHKEY_PRIMARY_DATACENTER: primary.name,
    LATCHKEY_PRIMARY_URL: link.url,
    LATCHKEY_REPLICATION_TOKEN: REPLICATION,
    ...(await secondaryEnv(link)),
  })
  return { datacenter, link }
}

export async function createReplicationToken(primary: Datacenter): Promise<void> {
  const { ID } = await primary.ok('PUT', '/acl/policy', { Name: 'replication', Rules: 'acl = "write"' })
  await primary.ok('PUT', '/acl/token', { SecretID: REPLICATION, Policies: [{ ID }] })
}
