/** Collects the records of a case from the answers, to remove them afterwards. */
import type { Reply } from './reply.ts'

/** For each create: its path, the id field of its answer, and the path of the delete. Binding rules are deleted with their method. */
const CREATES = [
  { path: /^\/acl\/token(?:\/[^/]+\/clone)?$/, id: 'AccessorID', home: '/acl/token/' },
  { path: /^\/acl\/policy$/, id: 'ID', home: '/acl/policy/' },
  { path: /^\/acl\/role$/, id: 'ID', home: '/acl/role/' },
  { path: /^\/acl\/auth-method(?:\/[^/]*)?$/, id: 'Name', home: '/acl/auth-method/' },
  { path: /^\/connect\/intentions$/, id: 'ID', home: '/connect/intentions/' },
  { path: /^\/namespace$/, id: 'Name', home: '/namespace/' },
] as const

export class Litter {
  private readonly made: string[] = []

  note(method: string, url: string, { status, text }: Pick<Reply, 'status' | 'text'>): void {
    if ((method !== 'PUT' && method !== 'POST') || status !== 200) return
    const [path = '', query] = url.split('?', 2)
    // A record in a namespace can only be found there.
    const namespace = new URLSearchParams(query).get('ns')
    const suffix = namespace ? `?ns=${encodeURIComponent(namespace)}` : ''
    if (path.startsWith('/kv/')) this.made.push(`${path}${suffix}`)
    if (path === '/txn') {
      const { Results } = JSON.parse(text) as { readonly Results: readonly { KV?: { Key: string } }[] }
      for (const { KV } of Results) if (KV) this.made.push(`/kv/${encodeURIComponent(KV.Key)}${suffix}`)
    }
    const create = CREATES.find((candidate) => candidate.path.test(path))
    if (!create) return
    const record = JSON.parse(text)
    const shown =
      record.Namespace && create.home !== '/namespace/' ? `?ns=${encodeURIComponent(record.Namespace)}` : ''
    this.made.push(`${create.home}${encodeURIComponent(record[create.id])}${shown}`)
  }

  /** What to delete, newest first. */
  paths(): readonly string[] {
    return [...this.made].reverse()
  }
}
