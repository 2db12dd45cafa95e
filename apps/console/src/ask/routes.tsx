import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readQuestion } from './question.ts'

export const askRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'ask',
    validateSearch: readQuestion,
    component: lazyRouteComponent(() => import('./may-page.tsx'), 'MayPage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'ask/who',
    validateSearch: readQuestion,
    component: lazyRouteComponent(() => import('./who-page.tsx'), 'WhoPage'),
  }),
]
