import type { Client, TokenListEntry } from '@latchkey/sdk'
import { CreateTokenForm } from './create-token-form.tsx'
import { useTokens } from './use-tokens.ts'

export function TokensApp({ client }: { readonly client: Client }) {
  const { tokens, problem } = useTokens(client)
  return (
    <>
      <h1>Tokens</h1>
      <CreateTokenForm client={client} />
      {problem !== undefined && <p role="alert">{problem}</p>}
      {tokens === undefined ? problem === undefined && <p>Loading…</p> : <TokenTable tokens={tokens} />}
    </>
  )
}

function TokenTable({ tokens }: { readonly tokens: readonly TokenListEntry[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th>Description</th>
          <th>Accessor</th>
          <th>Policies</th>
          <th>Expires</th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.AccessorID}>
            <td>{token.Description}</td>
            <td>
              <code>{token.AccessorID}</code>
            </td>
            <td>{token.Policies?.map((policy) => policy.Name).join(', ') ?? '—'}</td>
            <td>{token.ExpirationTime ?? 'never'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
