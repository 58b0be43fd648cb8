! Whole allocatable arrays that are assigned: a copy where the shapes are equal, which the guard asks, and then they are one
! for all subscripts. What may allocate is taken out of the time loop.
! RUN: %flang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass %s 2>&1 | FileCheck %s

subroutine heat(u, steps)
  double precision, allocatable, intent(inout) :: u(:, :)
  integer, intent(in) :: steps
  double precision, allocatable :: old(:, :)
  integer :: t, i, j
  ! The copy is a statement of the nest; the descriptors, whose addresses nobody keeps, are read before it.
  ! CHECK: [[@LINE+1]]:3: remark: time loop tiled {{.*}}h={{.*}}: 2-D, 2 statements, 2 arrays
  do t = 1, steps
    old = u
    do j = 2, size(u, 2) - 1
      do i = 2, size(u, 1) - 1
        u(i, j) = 0.25d0*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
      end do
    end do
  end do
end subroutine heat

! Of integers, and two of them in one step.
subroutine waves(last, now, next, steps)
  integer, allocatable, intent(inout) :: last(:), now(:), next(:)
  integer, intent(in) :: steps
  integer :: t, i
  ! CHECK: [[@LINE+1]]:3: remark: time loop tiled {{.*}}h={{.*}}: 1-D, 3 statements, {{[0-9]+}} arrays
  do t = 1, steps
    do i = 2, size(now) - 1
      next(i) = now(i - 1) + now(i + 1) - last(i)
    end do
    last = now
    now = next
  end do
end subroutine waves

! The value of an expression is a temporary, of which the descriptor is made before it is filled.
subroutine increment(u, w, steps)
  double precision, allocatable, intent(inout) :: u(:, :), w(:, :)
  integer, intent(in) :: steps
  integer :: t, i, j
  ! CHECK: [[@LINE+1]]:3: remark: time loop tiled {{.*}}: 2-D, 3 statements
  do t = 1, steps
    do j = lbound(u, 2) + 1, ubound(u, 2) - 1
      do i = lbound(u, 1) + 1, ubound(u, 1) - 1
        w(i, j) = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j)
      end do
    end do
    u = u + 0.1d0*w
  end do
end subroutine increment
