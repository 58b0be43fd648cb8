! Ghost cells around a pond are set in a loop of two turns, whose number chooses the row, and what is put there.
module pond
  implicit none
contains
  subroutine waves(h, q, n, m, steps)
    integer, intent(in) :: n, m, steps
    real, intent(inout) :: h(n, m), q(n, m)
    real :: level
    integer :: t, i, j, side

    do t = 1, steps
      do side = 1, 2
        do j = 2, m - 1
          if (side == 1) then
            i = 1
            level = 2.0*h(2, j) - h(3, j)
          end if
          if (side == 2) then
            i = n
            level = h(n - 1, j)
          end if
          h(i, j) = 0.5*level
        end do
      end do
      do side = 1, 2
        do i = 2, n - 1
          if (side == 1) then
            j = 1
            level = h(i, 2)
          end if
          if (side == 2) then
            j = m
            level = 2.0*h(i, m - 1) - h(i, m - 2)
          end if
          h(i, j) = 0.5*level
        end do
      end do
      do j = 2, m - 1
        do i = 2, n - 1
          q(i, j) = 0.25*(h(i - 1, j) + h(i + 1, j) + h(i, j - 1) + h(i, j + 1))
        end do
      end do
      do j = 2, m - 1
        do i = 2, n - 1
          h(i, j) = q(i, j)
        end do
      end do
    end do
  end subroutine waves
end module pond

program main
  use corpus
  use pond
  implicit none
  integer :: nx, ny, nz, steps
  real, allocatable :: h(:), q(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(h, points(nx, ny, 1))
    call new_array(q, points(nx, ny, 1))
    call waves(h, q, nx, ny, steps)
    call dump('h', h)
    call dump('q', q)
    call end_case()
  end do
end program main
