import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readIntentionSearch } from './intention-search.ts'

export const intentionRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'intentions',
    validateSearch: readIntentionSearch,
    component: lazyRouteComponent(() => import('./intentions-page.tsx'), 'IntentionsPage'),
  }),
]
