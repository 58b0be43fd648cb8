! Whole arrays under a mask, whose border is land.
subroutine heat(u, v, land, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: u(n, m), v(n, m)
  logical, intent(in) :: land(n, m)
  integer :: i, j, t

  do t = 1, steps
    do j = 1, m
      do i = 1, n
        if (.not. land(i, j)) then
          v(i, j) = u(i, j) + 0.125d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j))
        end if
      end do
    end do
    do j = 1, m
      do i = 1, n
        if (.not. land(i, j)) u(i, j) = v(i, j)
      end do
    end do
  end do
end subroutine heat

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, i, j
  double precision, allocatable :: u(:), v(:)
  logical, allocatable :: land(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    allocate(land(nx, ny))
    do j = 1, ny
      do i = 1, nx
        land(i, j) = i == 1 .or. j == 1 .or. i == nx .or. j == ny .or. mod(7 * i + 3 * j, 11) == 0
      end do
    end do
    call heat(u, v, land, nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    deallocate(land)
    call end_case()
  end do
end program main
