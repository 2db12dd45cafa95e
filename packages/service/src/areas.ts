/** Network areas, all in one system record. Spec 9.4; decisions: datacenters. */
import { type AreaRecord, type Directory, randomUuid } from '@latchkey/acl'
import { canonicalIp } from '@latchkey/catalog'
import { AclError, type AreaMember, limits, PROBLEM_JSON, REQUEST_ID_HEADER } from '@latchkey/contract'
import { callerUnknown } from './caller/caller.ts'
import { datacenterUnreachable } from './datacenters/datacenters.ts'
import { collect, HEADER_TEXT } from './datacenters/exchange.ts'
import { type Content, type Context, done, type Handler, json, missing } from './handler.ts'
import { DATACENTER_FAMILY, forwardedHeader } from './request/headers.ts'
import { changeSystem } from './store/changes.ts'
import { decideAndCommitFor } from './store/commit.ts'

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i
const PORT_MAX = 65_535
const MEMBERS_BYTES_MAX = 4_194_304
const WATCH = { topic: 'system', filtered: true } as const

export const createAreaHandler: Handler<'areas.create'> = ({ body, ...call }) => {
  const { datacenter, random } = call.service
  const { PeerDatacenter, RetryJoin = [], UseTLS = false } = body
  if (body.ID) throw new AclError('field_invalid', 'The service chooses the ID of an area', { field: 'ID' })
  const field = 'PeerDatacenter'
  if (PeerDatacenter === '') throw new AclError('field_required', 'PeerDatacenter must be set', { field })
  if (!/^[a-z0-9_-]+$/i.test(PeerDatacenter) || PeerDatacenter === datacenter) {
    const message = `PeerDatacenter must be the name of a datacenter other than ${datacenter}`
    throw new AclError('field_invalid', message, { field })
  }
  for (const [i, address] of RetryJoin.entries())
    if (!isAddress(address))
      throw new AclError('field_invalid', `RetryJoin[${i}] ${NO_ADDRESS}`, { field: `RetryJoin[${i}]` })
  const area = { ID: randomUuid(random), PeerDatacenter, RetryJoin: [...new Set(RetryJoin)], UseTLS }
  return decideAndCommitFor(call, () => {
    const areas = areasOf(call.service.store.directory())
    if (areas.some((other) => other.PeerDatacenter === PeerDatacenter)) {
      const message = `An area for the datacenter ${PeerDatacenter} already exists`
      throw new AclError('name_in_use', message, { field })
    }
    if (areas.length >= limits.AREAS_MAX) {
      const message = `A datacenter has at most ${limits.AREAS_MAX} areas`
      throw new AclError('field_invalid', message, { field })
    }
    return { changes: changesTo(call, [...areas, area]), answer: () => json({ ID: area.ID }) }
  })
}

export const listAreasHandler: Handler<'areas.list'> = ({ directory }) => {
  const sorted = areasOf(directory).toSorted((a, b) => (a.PeerDatacenter < b.PeerDatacenter ? -1 : 1))
  return json(sorted.map(showArea), WATCH)
}

export const readAreaHandler: Handler<'areas.read'> = ({ directory, params }) => {
  const area = areasOf(directory).find(({ ID }) => ID === params.uuid.toLowerCase())
  return area ? json([showArea(area)], WATCH) : missing(unknownArea(), WATCH)
}

export const deleteAreaHandler: Handler<'areas.delete'> = (call) =>
  decideAndCommitFor(call, () => {
    const { others } = requireArea(call.service.store.directory(), call.params.uuid)
    return { changes: changesTo(call, others), answer: done }
  })

export const joinAreaHandler: Handler<'areas.join'> = (call) =>
  decideAndCommitFor(call, () => {
    const { area, others } = requireArea(call.service.store.directory(), call.params.uuid)
    const RetryJoin = [...area.RetryJoin]
    const answers = call.body.map((Address) => {
      const isStored = RetryJoin.includes(Address)
      const hasRoom = isStored || RetryJoin.length < limits.AREA_ADDRESSES_MAX
      const problem = !isAddress(Address) ? `The address ${NO_ADDRESS}` : hasRoom ? '' : FULL
      if (problem === '' && !isStored) RetryJoin.push(Address)
      return { Address, Joined: problem === '', Error: problem }
    })
    const isChanged = RetryJoin.length > area.RetryJoin.length
    return {
      changes: isChanged ? changesTo(call, [...others, { ...area, RetryJoin }]) : [],
      answer: () => json(answers),
    }
  })

/** The servers of the other datacenter, as it lists them to the caller. A local token is valid here alone. */
export const areaMembersHandler: Handler<'areas.members'> = async (call) => {
  const { datacenters, datacenter } = call.service
  const { PeerDatacenter: name } = requireArea(call.directory, call.params.uuid).area
  if (!datacenters?.names.includes(name)) return json([])
  const reply = await datacenters.send(name, {
    method: 'GET',
    url: `/v1/agent/members?dc=${name}`,
    headers: {
      Accept: `${PROBLEM_JSON}, application/json`,
      ...secretFor(call, name),
      ...forwardedHeader({ from: datacenter }),
      [REQUEST_ID_HEADER]: 'members-of-an-area',
    },
    body: undefined,
    waitMs: 0,
    isOfKnownCaller: call.caller.presented,
    signal: call.signal,
  })
  if (reply.status === 403) throw new AclError('caller_unknown', `ACL not found in ${name}`)
  if (reply.status !== 200) throw datacenterUnreachable(name)
  try {
    const bytes = await collect(reply.body, MEMBERS_BYTES_MAX)
    const members: Content<'operations.members'> = JSON.parse(new TextDecoder().decode(bytes))
    return json(members.map((member) => showMember(member, name)))
  } catch (error) {
    throw datacenterUnreachable(name, error)
  }
}

function secretFor({ caller, service }: Context, name: string): Record<string, string> {
  if (!caller.presented) return {}
  const { Local, SecretID } = caller.token
  if (Local) {
    const message = `ACL not found; the local token of ${service.datacenter} is not valid in ${name}`
    throw new AclError('caller_unknown', message)
  }
  if (!HEADER_TEXT.test(SecretID)) throw callerUnknown()
  return { [DATACENTER_FAMILY.token]: SecretID }
}

const STATUS: Readonly<Record<number, string>> = { 1: 'alive', 3: 'left', 4: 'failed' }

function showMember(member: Content<'operations.members'>[number], Datacenter: string): AreaMember {
  const { ID, Name, Addr, Port, Status, Version } = member
  return {
    ID,
    Name: `${Name}.${Datacenter}`,
    Addr,
    Port,
    Datacenter,
    Role: 'server',
    Build: Version,
    Protocol: 2,
    Status: STATUS[Status] ?? 'none',
    RTT: -1,
  }
}

function showArea({ ID, PeerDatacenter, RetryJoin, UseTLS }: AreaRecord) {
  return { ID, PeerDatacenter, RetryJoin: [...RetryJoin], UseTLS }
}

function areasOf(directory: Directory): readonly AreaRecord[] {
  return directory.system('areas')?.Value ?? []
}

function requireArea(directory: Directory, uuid: string) {
  const areas = areasOf(directory)
  const area = areas.find(({ ID }) => ID === uuid.toLowerCase())
  if (!area) throw unknownArea()
  return { area, others: areas.filter((other) => other !== area) }
}

function unknownArea(): AclError {
  return new AclError('not_found', 'No such network area')
}

function changesTo({ service }: Context, areas: readonly AreaRecord[]) {
  return changeSystem(service.store, 'areas', areas.length > 0 ? areas : undefined)
}

const NO_ADDRESS = 'must be an IP address or a host name, with or without a port'
const FULL = `The area has ${limits.AREA_ADDRESSES_MAX} addresses, the most that it may have`

function isAddress(address: string): boolean {
  if (canonicalIp(address) !== undefined) return true
  const [, inner, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(address) ?? []
  if (port !== undefined && (Number(port) < 1 || Number(port) > PORT_MAX)) return false
  return inner === undefined
    ? HOST_NAME.test(plain ?? '')
    : inner.includes(':') && canonicalIp(inner) !== undefined
}
