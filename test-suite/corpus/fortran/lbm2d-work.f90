! A lattice in a main program whose work array, of a few elements, is static as all its arrays are.
program main
  use corpus
  implicit none
  integer, parameter :: most = 70
  double precision :: f(0:4, 0:most + 1, 0:most + 1), g(0:4, 0:most + 1, 0:most + 1), equal(0:4), w(0:4)
  double precision, allocatable :: start(:)
  double precision :: density
  integer :: nx, ny, nz, steps, t, i, j, k

  do while (next_case(nx, ny, nz, steps))
    call new_array(start, points(nx, ny, 1))
    nx = max(min(nx, most), 0)
    ny = max(min(ny, most), 0)
    f = 0.0d0
    g = 0.0d0
    w(0) = 1.0d0/3.0d0
    do k = 1, 4
      w(k) = 1.0d0/6.0d0
    end do
    do j = 1, ny
      do i = 1, nx
        do k = 0, 4
          f(k, i, j) = w(k)*start(i + (j - 1)*nx)
        end do
      end do
    end do
    do t = 1, steps
      do j = 1, ny
        do i = 1, nx
          density = f(0, i, j) + f(1, i - 1, j) + f(2, i, j - 1) + f(3, i + 1, j) + f(4, i, j + 1)
          equal(0) = w(0)*density
          equal(1) = w(1)*density*1.03d0
          equal(2) = w(2)*density*1.01d0
          equal(3) = w(3)*density*0.97d0
          equal(4) = w(4)*density*0.99d0
          do k = 0, 4
            g(k, i, j) = 0.8d0*equal(k) + 0.2d0*f(k, i, j)
          end do
        end do
      end do
      do j = 1, ny
        do i = 1, nx
          do k = 0, 4
            f(k, i, j) = g(k, i, j)
          end do
        end do
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        start(i + (j - 1)*nx) = f(0, i, j) + 2.0d0*f(1, i, j) - f(2, i, j) + 3.0d0*f(3, i, j) - f(4, i, j)
      end do
    end do
    call dump('f', start)
    call end_case()
  end do
end program main
