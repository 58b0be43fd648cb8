! Levels by index, and pieces of sweeps that are empty on small grids: what no piece writes is read from the array itself, also
! where an empty one lies elsewhere.
! RUN: rm -rf %t && mkdir %t && cd %t
! RUN: env HEXPASS_STRATEGY=overlapped %hexflang -O3 %s -o relax
! RUN: env HEXPASS_MODE=off ./relax > plain.out
! RUN: env HEXPASS_DEVICE=emulated HEXPASS_INFO=1 ./relax > relax.out 2> relax.info && cmp plain.out relax.out
! RUN: FileCheck %s < relax.info
! CHECK-NOT: launch-failed
! CHECK: overlapped
! CHECK-NOT: launch-failed
module levels
contains
  subroutine relax(u, n, m, steps)
    integer, value :: n, m, steps
    double precision, intent(inout) :: u(1:, 1:, 0:)
    integer :: now, next, t, i, j
    now = 0
    next = 1
    do t = 1, steps
      now = mod(t, 2)
      next = 1 - now
      do j = 2, m - 1
        do i = n - 1, 2, -1
          u(i, j, next) = 0.3d0*u(i, j, now) + 0.125d0*u(i, j, now)
        end do
      end do
      u(2:n - 1, 2:m - 1, next) = 0.05d0*u(2:n - 1, 3:m, now) + 0.25d0*u(2:n - 1, 2:m - 1, now) + &
                                  0.25d0*u(2:n - 1, 2:m - 1, now) + 0.3d0*u(1:n - 2, 2:m - 1, now)
    end do
    print *, now
  end subroutine relax
end module levels

program main
  use levels
  implicit none
  double precision, allocatable :: u(:, :, :)
  integer :: n, m, s, i
  do n = 3, 14, 3
    do m = 3, 14, 3
      do s = 5, 9, 2
        allocate (u(1:n, 1:m, 0:1))
        u = reshape([(mod(i*37, 101)/97d0, i=1, 2*n*m)], [n, m, 2])
        call relax(u, n, m, s)
        print '(3i4,z18)', n, m, s, sum(u)
        deallocate (u)
      end do
    end do
  end do
end program main
