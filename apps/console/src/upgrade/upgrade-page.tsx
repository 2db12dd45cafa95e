import { Link } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { texts } from '../texts.ts'
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
      title={texts.upgrade.title}
      lead={texts.upgrade.lead}
      actions={
        <Link to="/upgrade/plan" className="button">
          <FileUp aria-hidden />
          {texts.upgrade.planLink}
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
