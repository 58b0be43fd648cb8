! Counters and sizes are variables of a module, work arrays are sized by these, and a mask decides where there is water; a line
! is printed now and then.
module water
  implicit none
  integer :: nx, ny, i, j
  double precision :: ratio
  integer, allocatable :: wet(:, :)
  double precision, allocatable :: u(:, :), un(:, :), h(:, :)
contains
  subroutine speeds
    double precision :: c(0:nx + 1, 0:ny + 1), du(0:nx + 1, 0:ny + 1)
    do j = 0, ny + 1
      do i = 0, nx
        c(i, j) = 0.5d0*(u(i, j) + u(i + 1, j))*ratio
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        du(i, j) = c(i, j) - c(i - 1, j)
        if (wet(i, j) == 1) then
          if (wet(i + 1, j) == 1 .or. du(i, j) > 0d0) un(i, j) = u(i, j) - du(i, j)
        end if
      end do
    end do
  end subroutine speeds

  subroutine flow(steps)
    integer, intent(in) :: steps
    integer :: t
    do t = 1, steps
      call speeds
      do j = 0, ny + 1
        do i = 0, nx + 1
          u(i, j) = un(i, j)
          h(i, j) = u(i, j) + 1d0
          wet(i, j) = 1
          if (h(i, j) < 0.6d0) wet(i, j) = 0
        end do
      end do
      if (mod(t, 5) == 0) print *, t
    end do
  end subroutine flow
end module water

program main
  use corpus
  use water
  implicit none
  integer :: mx, my, mz, steps
  double precision, allocatable :: first(:), left(:)

  do while (next_case(mx, my, mz, steps))
    call new_array(first, points(mx, my, 1))
    call new_array(left, 2)
    nx = max(mx, 0) - 2
    ny = max(my, 0) - 2
    ratio = 0.1d0
    i = -1
    j = -1
    if (nx >= 1 .and. ny >= 1) then
      allocate (u(0:nx + 1, 0:ny + 1), un(0:nx + 1, 0:ny + 1), h(0:nx + 1, 0:ny + 1), wet(0:nx + 1, 0:ny + 1))
      u = reshape(first(1:size(u)), shape(u))
      un = u
      h = u
      wet = merge(0, 1, u < 0.1d0)
      call flow(steps)
      first(1:size(u)) = reshape(u, [size(u)])
      deallocate (u, un, h, wet)
    end if
    left(1:2) = [i, j]
    call dump('u', first)
    call dump('left', left)
    call end_case()
  end do
end program main
