/** The records of a case, collected from the answers, so that they can be removed after it. */
import type { Reply } from './reply.ts'

/** The path of each create, the id field of its answer, and the path of the delete. Binding rules go with their method. */
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
    // A namespaced record can only be found in its namespace.
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

  /** What to delete, the newest first. */
  paths(): readonly string[] {
    return [...this.made].reverse()
  }
}
