import { Link } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { Page } from '../ui/page.tsx'
import '../ui/styles/catalog.css'
import '../ui/styles/upgrade.css'
import { LegacyTokens } from './legacy-tokens.tsx'
import { Migrations } from './migrations.tsx'
import { Servers } from './servers.tsx'

/** The progress of the upgrade from legacy tokens: servers, migrations, and the tokens that still need something. */
export function UpgradePage() {
  return (
    <Page
      title="Upgrade"
      lead="From legacy tokens to policies: what is done and what remains."
      actions={
        <Link to="/upgrade/plan" className="button">
          <FileUp aria-hidden />
          Plan from a dump
        </Link>
      }
    >
      <div className="stack" data-gap="large">
        <Migrations />
        <Servers />
        <LegacyTokens />
      </div>
    </Page>
  )
}
