import { type AnyRoute, createRoute, redirect } from '@tanstack/react-router'

export const homeRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/tokens' })
    },
  }),
]
